public import NotesReluxInt
public import Relux
internal import ReluxPlugin

extension Notes.UI {
    /// The interface as a module: it observes and asks, and has nothing of its own.
    public struct Module: Relux.Module {
        public let moduleID: ModuleID = "NotesUI"
        public let states: [any Relux.AnyState] = []
        public let sagas: [any Relux.Saga] = []
        public var handles: [any Relux.Effect.Type]? { [] }
        public var emits: [any Relux.Effect.Type]? { [Notes.Business.Effect.self] }

        public init() {}
    }
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportModule(
        "NotesUI", version: "1.0.0", kind: .orchestrator, handles: [], emits: [Notes.Business.Effect.self],
        observes: [Notes.Business.Snapshot.self]
    ) { Notes.UI.Module() }
}
