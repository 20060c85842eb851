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
            // The payer is not the order's user: the payer is refunded, nobody else.
            if let error = placed.failures.first(where: \.isOthers) {
                await actions {
                    Payment.Business.Effect.refund(orderId: receipt.orderId, userId: receipt.payer, reason: error.message)
                }
            }

        case .paymentFailed(let orderId, let userId, let error) where error.mayHaveCaptured:
            // Checkout knows whether it was placed all the same; if not, it asks for the refund.
            await actions {
                Checkout.Business.Effect.cancel(orderId: orderId, userId: userId, reason: error.message)
            }

        case .paymentFailed(let orderId, let userId, let error):
            let closed = await actions {
                Checkout.Business.Effect.close(orderId: orderId, userId: userId, phase: .failed, reason: error.message)
            }
            await actions {
                Cart.Business.Effect.notBought(id: orderId, userId: userId, reason: error.message)
                // Checkout could not write it. A refund of nothing is told again until it is written. There is nothing
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
