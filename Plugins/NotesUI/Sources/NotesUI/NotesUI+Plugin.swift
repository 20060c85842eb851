public import NotesReluxInt
public import Relux
internal import ReluxPlugin

extension Notes.UI {
    /// The interface as a module: it observes and asks, and has nothing of its own.
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static let moduleID: ModuleID = "NotesUI"
        public static var kind: Relux.ModuleKind { .userInterface }
        public static var emits: [any Relux.Effect.Type]? { [Notes.Business.Effect.self] }
        public static var observes: [any Relux.SharedSnapshot.Type] { [Notes.Business.Snapshot.self] }

        public let states: [any Relux.AnyState] = []
        public let sagas: [any Relux.Saga] = []

        public init() {}
    }
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Notes.UI.Module.self) }
