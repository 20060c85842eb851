internal import AuthReluxInt
internal import FilesReluxInt
internal import NotesReluxInt
public import Relux
internal import SyncReluxInt

extension DataOrchestration {
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static var kind: Relux.ModuleKind { .orchestrator }
        public static var handles: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Notes.Business.Effect.self, Files.Business.Effect.self, Sync.Business.Effect.self]
        }
        public static var emits: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Notes.Business.Effect.self, Files.Business.Effect.self, Sync.Business.Effect.self]
        }

        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        public init() {
            self.sagas = [Saga()]
        }
    }
}
