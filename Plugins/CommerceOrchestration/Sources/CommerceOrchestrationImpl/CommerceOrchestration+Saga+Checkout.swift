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

        case .refused(let orderId, let error):
            await actions {
                Cart.Business.Effect.notBought(id: orderId, reason: error.message)
            }

        case .orderPlaced(let orderId):
            await actions {
                Cart.Business.Effect.bought(id: orderId)
            }

        case .orderFailed(let orderId, let error):
            // The compensation: it was paid, or may have been, and there will be no order.
            await actions {
                Cart.Business.Effect.notBought(id: orderId, reason: error.message)
                Payment.Business.Effect.refund(orderId: orderId, reason: error.message)
            }

        default:
            break
        }
    }
}
