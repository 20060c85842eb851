internal import AuthReluxInt
internal import NotesReluxInt
internal import ProfileReluxInt
public import Relux
internal import ReluxPlugin

extension App.UI {
    /// The picture as a module: it observes, and has nothing of its own that the cluster knows.
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static let moduleID: ModuleID = "AppUI"
        public static var kind: Relux.ModuleKind { .userInterface }
        public static var observes: [any Relux.SharedSnapshot.Type] {
            [Auth.Business.Snapshot.self, Profile.Business.Snapshot.self, Notes.Business.Snapshot.self]
        }

        public let states: [any Relux.AnyState] = []
        public let sagas: [any Relux.Saga] = []

        public init() {}
    }
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(App.UI.Module.self) }
