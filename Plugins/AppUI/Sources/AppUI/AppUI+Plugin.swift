internal import AuthReluxInt
internal import NotesReluxInt
internal import ProfileReluxInt
public import Relux
internal import ReluxPlugin

extension App.UI {
    /// The picture as a module: it observes, and has nothing of its own that the cluster knows.
    public struct Module: Relux.Module {
        public let moduleID: ModuleID = "AppUI"
        public let states: [any Relux.AnyState] = []
        public let sagas: [any Relux.Saga] = []
        public var handles: [any Relux.Effect.Type]? { [] }
        public var emits: [any Relux.Effect.Type]? { [] }

        public init() {}
    }
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportModule(
        "AppUI", version: "1.0.0", kind: .orchestrator, handles: [], emits: [],
        observes: [Auth.Business.Snapshot.self, Profile.Business.Snapshot.self, Notes.Business.Snapshot.self]
    ) { App.UI.Module() }
}
