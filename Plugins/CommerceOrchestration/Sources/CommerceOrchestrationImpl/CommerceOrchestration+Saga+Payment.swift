internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    func handlePaymentEffect(_ effect: any Relux.Effect) async {
        switch effect as? Payment.Business.Effect {
        case .captured(let receipt):
            let placed = await actions {
                Checkout.Business.Effect.place(orderId: receipt.orderId, userId: receipt.payer, receipt: receipt.id)
            }
            // They have paid what another wants to buy: it is their own money that goes back, and no other's.
            if let error = placed.failures.first(where: \.isOthers) {
                await actions {
                    Payment.Business.Effect.refund(orderId: receipt.orderId, userId: receipt.payer, reason: error.message)
                }
            }

        case .paymentFailed(let orderId, let userId, let error) where error.mayHaveCaptured:
            // Whether it was placed all the same is Checkout's to know: if not, it asks for the money back.
            await actions {
                Checkout.Business.Effect.cancel(orderId: orderId, userId: userId, reason: error.message)
            }

        case .paymentFailed(let orderId, let userId, let error):
            let closed = await actions {
                Checkout.Business.Effect.close(orderId: orderId, userId: userId, phase: .failed, reason: error.message)
            }
            await actions {
                Cart.Business.Effect.notBought(id: orderId, userId: userId, reason: error.message)
                // It could not be written down. What is asked back, though there is nothing, is told again until it could be. There is nothing
                // to write of another's purchase.
                if !closed.isSuccess, !closed.failures.contains(where: \.isOthers) {
                    Payment.Business.Effect.refund(orderId: orderId, userId: userId, reason: error.message)
                }
            }

        case .refunded(let orderId, let userId, let amount):
            let owner = await owner(of: orderId, userId)
            await actions {
                Checkout.Business.Effect.settle(orderId: orderId, userId: owner, amount: amount)
            }

        case .refundFailed(let orderId, let userId, let error):
            let owner = await owner(of: orderId, userId)
            await actions {
                Checkout.Business.Effect.close(orderId: orderId, userId: owner, phase: .refundPending, reason: error.message)
            }

        default:
            break
        }
    }
}
