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
            // A user has logged in: look after their refunds, without letting them wait.
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
