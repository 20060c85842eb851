internal import AuthReluxInt
internal import CartReluxInt
internal import PaymentReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    func handleAuthEffect(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Business.Effect {
        case .authSucceeded(let userId):
            await actions {
                Cart.Business.Effect.assign(userId: userId)
            }
            // A user is here: a good time to look after the due refunds. Nobody waits for it.
            performAsync {
                Payment.Business.Effect.retryRefunds
            }

        case .loggedOut, .accountDeleted:
            await actions {
                Cart.Business.Effect.release
            }

        default:
            break
        }
    }
}
