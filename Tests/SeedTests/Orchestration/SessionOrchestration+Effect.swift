// Seed 0, "Optional: Exposed Effects".
import Relux

extension SessionOrchestration {
    public enum Effect: Relux.Effect {
        case teardownSession
        case refreshSession
    }
}

extension SessionOrchestration.Saga {
    // Edit: not `private`, because `apply` stands in another file.
    func handleOwnEffect(_ effect: any Relux.Effect) async {
        switch effect as? SessionOrchestration.Effect {
        case .teardownSession:
            await actions(.concurrently) {
                Auth.Business.Effect.logout
                Profile.Business.Effect.clearProfile
            }
        default:
            break
        }
    }
}
