internal import AuthReluxInt
internal import FilesReluxInt
internal import NotesReluxInt
public import Relux
internal import SyncReluxInt

extension DataOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        public var handles: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Notes.Business.Effect.self, Files.Business.Effect.self, Sync.Business.Effect.self]
        }
        public var emits: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Notes.Business.Effect.self, Files.Business.Effect.self, Sync.Business.Effect.self]
        }

        public init() {
            self.sagas = [Saga()]
        }
    }
}
