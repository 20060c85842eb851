extension Relux {
    /// Anything that a module registers as state. A node keeps one of each type.
    public protocol AnyState: AnyObject, Sendable {}

    /// Core data and business logic, an actor in practice: it reduces every action and effect that reaches its module.
    public protocol BusinessState: AnyState {
        /// Applies the action; one that it does not know is ignored.
        func reduce(with action: any Relux.Action) async
        /// Back to the initial value: at `cleanup(except:)` and before the module leaves.
        func cleanup() async
        /// The action types it reduces, nil for "any". Declared ones let the node report an action that nobody accepts.
        nonisolated var reduces: [any Relux.Action.Type]? { get }
    }

    /// What an interface observes: it maps the snapshots of business states for showing and reduces nothing.
    @MainActor
    public protocol UIState: AnyState {}

    /// Business logic and observation in one object on the main actor.
    @MainActor
    public protocol HybridState: BusinessState, UIState {}

    /// State that survives a crash and a hot upgrade: what is `stored` is journaled with what it depends on.
    public protocol RestorableState: BusinessState {
        associatedtype Stored: Codable & Sendable
        /// Rises when `Stored` changes its shape.
        static var storedVersion: UInt32 { get }
        var stored: Stored { get async }
        func restore(_ stored: Stored) async
        /// Turns the bytes of an older version into today's value.
        /// - Throws: when there is no way from that version; the upgrade is then refused.
        static func migrate(from version: UInt32, _ older: [UInt8]) throws -> Stored
    }
}

extension Relux.BusinessState {
    public nonisolated var reduces: [any Relux.Action.Type]? { nil }
    public func cleanup() async {}
}

extension Relux.RestorableState {
    public static var storedVersion: UInt32 { 1 }
    public static func migrate(from version: UInt32, _ older: [UInt8]) throws -> Stored {
        throw Relux.Failure(
            domain: "relux", code: "migration",
            message: "\(Relux.typePath(of: Self.self)) has no migration from version \(version) to \(storedVersion)")
    }
}
