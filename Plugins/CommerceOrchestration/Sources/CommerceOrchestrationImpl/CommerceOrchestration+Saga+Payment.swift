internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    func handlePaymentEffect(_ effect: any Relux.Effect) async {
        switch effect as? Payment.Business.Effect {
        case .captured(let receipt):
            await actions {
                Checkout.Business.Effect.place(orderId: receipt.orderId, receipt: receipt.id)
            }

        case .paymentFailed(let orderId, let error) where error.mayHaveCaptured:
            // Whether it was placed all the same is Checkout's to know: if not, it asks for the money back.
            await actions {
                Checkout.Business.Effect.cancel(orderId: orderId, reason: error.message)
            }

        case .paymentFailed(let orderId, let error):
            await actions {
                Checkout.Business.Effect.close(orderId: orderId, phase: .failed, reason: error.message)
                Cart.Business.Effect.notBought(id: orderId, reason: error.message)
            }

        case .refunded(let orderId, let amount):
            await actions {
                Checkout.Business.Effect.settle(orderId: orderId, amount: amount)
            }

        case .refundFailed(let orderId, let error):
            await actions {
                Checkout.Business.Effect.close(orderId: orderId, phase: .refundPending, reason: error.message)
            }

        default:
            break
        }
    }
}
