public import ReluxWire

extension Relux {
    /// A domain's states, sagas and relays, registered and removed as one.
    ///
    /// The type says what every instance does: its kind, and the effects and snapshots that it exchanges with others. `relux module pack` reads that
    /// without making an instance.
    public protocol Module: Sendable {
        /// By default the type's path without the trailing `.Module`, so `Auth.Module` is `Auth`. A path that is no name, or is over the limit of
        /// names, is shortened and ends with a hash of the whole, the same in each build.
        static var moduleID: ModuleID { get }
        /// Its place in the start order; `.domain` by default.
        static var kind: ModuleKind { get }
        /// Semantic version, `1.0.0` by default.
        static var version: String { get }
        /// The effect types that it handles. nil, the default, means any; a ``Relux/Plugin`` has to name them.
        static var handles: [any Relux.Effect.Type]? { get }
        /// The effect types that it may dispatch; any other is refused. nil, the default, means any; a ``Relux/Plugin`` has to name them.
        static var emits: [any Relux.Effect.Type]? { get }
        /// The snapshot types that its relays share with the cluster.
        static var provides: [any Relux.SharedSnapshot.Type] { get }
        /// The snapshot types of others that its process keeps relays of.
        static var observes: [any Relux.SharedSnapshot.Type] { get }
        /// One handler at a time when true.
        static var isSerial: Bool { get }
        /// The effect types that users may send while its ``startBarrier`` is closed; nil for a module without one.
        static var startEffects: [any Relux.Effect.Type]? { get }
        /// The effects that it emits by the clock. `relux module pack` checks those that the type has; an instance may have others, as its configuration says.
        static var schedules: [Relux.Schedule] { get }

        /// The same of this instance, which by default has what its type says.
        var moduleID: ModuleID { get }
        var handles: [any Relux.Effect.Type]? { get }
        var emits: [any Relux.Effect.Type]? { get }
        var isSerial: Bool { get }
        var schedules: [Relux.Schedule] { get }

        var states: [any Relux.AnyState] { get }
        var sagas: [any Relux.Saga] { get }
        var relays: [any Relux.StateRelaying] { get }
        /// The actions that views of this process may ask the module for, besides effects.
        var actionRelays: [any Relux.ActionRelaying] { get }
        /// Registered before this one, in this order, and released after it in reverse.
        var dependencies: [any Relux.Module] { get }
        /// The barrier that keeps users out of the cluster until the module opens it; nil for none.
        var startBarrier: Relux.StartBarrier? { get }
    }

    /// A module that a host makes by itself: what `exportModule(_:)` takes.
    public protocol Plugin: Module {
        /// Makes the module with what its process offers: its folder, the environment.
        ///
        /// - Throws: why it cannot be made; the broker and `relux status` show it.
        init() async throws
    }

    /// The purpose of a module. It decides when the module starts and whom it may know: infrastructure first, then domains, then the others.
    public enum ModuleKind: String, Codable, Sendable, Hashable, CaseIterable {
        case infrastructure, domain, orchestrator
        /// Shows domains to people: it observes and asks, and nobody knows it.
        case userInterface
    }
}

extension Relux.Module {
    public static var moduleID: ModuleID { Relux.moduleID(of: Self.self) }
    public static var kind: Relux.ModuleKind { .domain }
    public static var version: String { "1.0.0" }
    public static var handles: [any Relux.Effect.Type]? { nil }
    public static var emits: [any Relux.Effect.Type]? { nil }
    public static var provides: [any Relux.SharedSnapshot.Type] { [] }
    public static var observes: [any Relux.SharedSnapshot.Type] { [] }
    public static var isSerial: Bool { false }
    public static var startEffects: [any Relux.Effect.Type]? { nil }
    public static var schedules: [Relux.Schedule] { [] }

    public var moduleID: ModuleID { Self.moduleID }
    public var handles: [any Relux.Effect.Type]? { Self.handles }
    public var emits: [any Relux.Effect.Type]? { Self.emits }
    public var isSerial: Bool { Self.isSerial }
    public var schedules: [Relux.Schedule] { Self.schedules }
    public var relays: [any Relux.StateRelaying] { [] }
    public var actionRelays: [any Relux.ActionRelaying] { [] }
    public var dependencies: [any Relux.Module] { [] }
    public var startBarrier: Relux.StartBarrier? { nil }
}

extension Relux.Plugin {
    public static var handles: [any Relux.Effect.Type]? { [] }
    public static var emits: [any Relux.Effect.Type]? { [] }
}
