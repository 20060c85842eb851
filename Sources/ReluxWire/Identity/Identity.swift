/// A module's name in the cluster, for example `Auth`.
///
/// 1 to 64 UTF-8 bytes out of `A-Z a-z 0-9 _ . -`; checked where it enters from outside (``init(validating:)``).
public struct ModuleID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.rawValue = value }
    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// An effect type's path without the Swift module, for example `Auth.Business.Effect`. Reserved streams start with `~`.
public struct Topic: RawRepresentable, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.rawValue = value }
    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names one emitted effect in the whole cluster for all time; printed `Auth#1042`.
public struct EffectID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let module: ModuleID
    public let position: UInt64
    public init(module: ModuleID, position: UInt64) {
        self.module = module
        self.position = position
    }
    public var description: String { "\(module)#\(position)" }
    public static func < (a: Self, b: Self) -> Bool { (a.module, a.position) < (b.module, b.position) }
}

/// One run of a module; epochs only rise.
public struct Epoch: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
