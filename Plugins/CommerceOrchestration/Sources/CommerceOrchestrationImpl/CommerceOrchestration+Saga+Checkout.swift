internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    func handleCheckoutEffect(_ effect: any Relux.Effect) async {
        switch effect as? Checkout.Business.Effect {
        case .begun(let orderId, let userId, let total):
            await actions {
                Payment.Business.Effect.capture(orderId: orderId, amount: total, payer: userId)
            }

        case .orderPlaced:
            await actions {
                Cart.Business.Effect.clear
            }

        case .orderFailed(let orderId, let error):
            // The compensation: it was paid, and there will be no order.
            await actions {
                Payment.Business.Effect.refund(orderId: orderId, reason: error.message)
            }

        default:
            break
        }
    }
}
