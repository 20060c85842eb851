// Seed 0, "Cross-Domain State Access".
import Relux

public enum Notes { public enum Business {}; public enum UI {} }

extension Notes.Business {
    enum Effect: Relux.Effect {
        case sync(context: SyncContext)
        
        // Edit: `Codable` beside the seed's `Sendable`, because an effect may leave the process (Sources/Relux/Relux.docc/Design.md).
        struct SyncContext: Codable, Sendable {
            let isAuthenticated: Bool
            let userId: String?
        }
    }
}

/// The seed's UI container. Edit: outside a handler `actions` needs a node, so the container dispatches through the one it was given.
struct NotesContainer {
    let relux: Relux
    let authState: (isAuthenticated: Bool, userId: String?)

    func syncNotes() async {
        let context = Notes.Business.Effect.SyncContext(
            isAuthenticated: authState.isAuthenticated,
            userId: authState.userId
        )
        await relux.dispatcher.actions { Notes.Business.Effect.sync(context: context) }
    }
}
