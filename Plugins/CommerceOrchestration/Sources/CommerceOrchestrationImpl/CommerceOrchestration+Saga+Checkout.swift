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

        case .refused(let orderId, let userId, let error):
            await actions {
                Cart.Business.Effect.notBought(id: orderId, userId: userId, reason: error.message)
            }

        case .orderPlaced(let orderId, let userId):
            await actions {
                Cart.Business.Effect.bought(id: orderId, userId: userId)
            }

        case .orderFailed(let orderId, let userId, let error):
            // The compensation: it was paid, perhaps, and will not become an order.
            await actions {
                Cart.Business.Effect.notBought(id: orderId, userId: userId, reason: error.message)
                Payment.Business.Effect.refund(orderId: orderId, userId: userId, reason: error.message)
            }

        case .settled(let orderId, let userId):
            await actions {
                Payment.Business.Effect.acknowledge(orderId: orderId, userId: userId)
            }

        default:
            break
        }
    }
}
