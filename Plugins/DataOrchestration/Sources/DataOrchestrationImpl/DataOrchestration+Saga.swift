internal import AuthReluxInt
internal import FilesReluxInt
internal import NotesReluxInt
public import Relux
internal import SyncReluxInt

extension DataOrchestration {
    /// Answers what happens in one domain with effects for others.
    public actor Saga: Relux.Saga {
        public init() {}

        public func apply(_ effect: any Relux.Effect) async {
            await handleAuthEffect(effect)
            await handleNotesEffect(effect)
            await handleFilesEffect(effect)
            await handleSyncEffect(effect)
        }
    }
}
