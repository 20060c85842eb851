import ReluxWire

extension Relux {
    /// Anything that a module registers as state. A node keeps one of each type.
    public protocol AnyState: AnyObject, Sendable {}

    /// Core data and business logic, an actor in practice: it reduces every action and effect that reaches its module.
    public protocol BusinessState: AnyState {
        /// Applies the action; an unknown action is ignored.
        func reduce(with action: any Relux.Action) async
        /// Back to the initial value: at `cleanup(except:)` and before the module leaves.
        func cleanup() async
        /// The action types it reduces, nil for "any". Declared ones let the node report an action that nobody accepts.
        nonisolated var reduces: [any Relux.Action.Type]? { get }
    }

    /// A state that an interface observes: it maps the snapshots of business states for showing and reduces nothing.
    @MainActor
    public protocol UIState: AnyState {}

    /// Business logic and observation in one object on the main actor.
    @MainActor
    public protocol HybridState: BusinessState, UIState {}

    /// State that survives a crash and a hot upgrade: what is `stored` is journaled with what it depends on.
    ///
    /// After a `kill -9` it equals what the settled effects have made of it. That holds for what its reducer does, so nothing
    /// else changes it, and its initial value is always the same. While it reduces, the module's other restorable states and
    /// all captures wait: a reducer awaits nothing that needs another reduction of the module.
    public protocol RestorableState: BusinessState {
        associatedtype Stored: Codable & Sendable
        /// Rises when `Stored` changes its shape.
        static var storedVersion: UInt32 { get }
        /// The state's name in the journal, by default its type's path. Override it to keep the name when the type is renamed.
        static var storedName: String { get }
        /// Read between two reductions only; encoded with secrets sealed. At most 1 MiB less 16 KiB when encoded: an effect
        /// that makes it larger, or makes it such that it cannot be encoded, settles as failed.
        var stored: Stored { get async }
        /// Called once, before the module handles anything.
        func restore(_ stored: Stored) async
        /// Turns the value of an older version into today's. Not asked on the state's actor: `nonisolated` in a state of the main actor, as the
        /// versions and ``older(_:version:)`` are.
        /// - Throws: when there is no way from that version; the module is then not set up.
        static func migrate(_ older: StoredValue) throws -> Stored
        /// Older versions into whose shape ``older(_:version:)`` can turn a value: a module that is upgraded can be rolled back to
        /// them. None by default.
        static var olderVersions: [UInt32] { get }
        /// Today's value in the shape of one of the ``olderVersions``, for the build that a rollback brings back.
        /// - Throws: when this value cannot be told in that shape; the rollback is called off, and this build goes on.
        static func older(_ stored: Stored, version: UInt32) throws -> any Encodable & Sendable
    }

    /// A restorable state's value as an older version of the state had stored it.
    public struct StoredValue: Sendable {
        public let version: UInt32
        let bytes: [UInt8]
        let codingInfo: [CodingUserInfoKey: any Sendable]

        /// The value in the shape that it had then; secrets are opened.
        /// - Throws: `WireError` when it had another shape.
        public func decode<Older: Decodable>(_ type: Older.Type) throws -> Older {
            try CBOR.decode(type, from: bytes, userInfo: codingInfo)
        }
    }
}

extension Relux.BusinessState {
    public nonisolated var reduces: [any Relux.Action.Type]? { nil }
    public func cleanup() async {}
}

extension Relux.RestorableState {
    public static var storedVersion: UInt32 { 1 }
    public static var storedName: String { Relux.typePath(of: Self.self) }
    public static func migrate(_ older: Relux.StoredValue) throws -> Stored {
        throw Relux.Failure(
            domain: Relux.Failure.domainName, code: "migration",
            message: "\(storedName) has no `migrate` from version \(older.version) to \(storedVersion); write one")
    }
    public static var olderVersions: [UInt32] { [] }
    public static func older(_ stored: Stored, version: UInt32) throws -> any Encodable & Sendable {
        throw Relux.Failure(
            domain: Relux.Failure.domainName, code: "migration",
            message: "\(storedName) has no `older` from version \(storedVersion) to \(version); write one")
    }
}
