public import ReluxWire

extension Relux {
    /// A domain's states, sagas and relays, registered and removed as one.
    public protocol Module: Sendable {
        /// The module's name; by default its type's path without the trailing `.Module`, so `Auth.Module` is `Auth`. A path that is no name, or is
        /// over the limit of names, is shortened and ends with a hash of the whole, the same in each build.
        var moduleID: ModuleID { get }
        var states: [any Relux.AnyState] { get }
        var sagas: [any Relux.Saga] { get }
        var relays: [any Relux.StateRelaying] { get }
        /// What views of this process may ask the module for, besides effects.
        var actionRelays: [any Relux.ActionRelaying] { get }
        /// Registered before this one, in this order, and released after it in reverse.
        var dependencies: [any Relux.Module] { get }
        /// The effect types it handles and emits; nil means "any", which is what a module inside one process may say.
        var handles: [any Relux.Effect.Type]? { get }
        var emits: [any Relux.Effect.Type]? { get }
        /// One handler at a time when true.
        var isSerial: Bool { get }
        /// What keeps users out of the cluster until the module opens it; nil for none. The plugin declares it too.
        var startBarrier: Relux.StartBarrier? { get }
    }
}

extension Relux.Module {
    public var moduleID: ModuleID { Relux.moduleID(of: Self.self) }
    public var relays: [any Relux.StateRelaying] { [] }
    public var actionRelays: [any Relux.ActionRelaying] { [] }
    public var dependencies: [any Relux.Module] { [] }
    public var handles: [any Relux.Effect.Type]? { nil }
    public var emits: [any Relux.Effect.Type]? { nil }
    public var isSerial: Bool { false }
    public var startBarrier: Relux.StartBarrier? { nil }
}
