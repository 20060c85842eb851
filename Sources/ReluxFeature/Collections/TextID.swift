/// A text that is an id, told apart byte for byte.
///
/// Swift takes `é` and `e` with an accent behind it for one string, and a list by such ids for one element. Where texts from outside are ids, and are
/// stored as they came, an element's id is a `TextID` instead.
public struct TextID: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }

    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }

    /// By bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}
