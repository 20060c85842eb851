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

        case .paymentFailed(let orderId, let error):
            await actions {
                Checkout.Business.Effect.close(orderId: orderId, phase: .failed, reason: error.message)
                // Nobody knows whether the money was taken: whatever was, goes back.
                if error.mayHaveCaptured {
                    Payment.Business.Effect.refund(orderId: orderId, reason: error.message)
                }
            }

        case .refunded(let orderId, let amount) where amount > 0:
            await actions {
                Checkout.Business.Effect.close(orderId: orderId, phase: .refunded, reason: "\(amount) cents have gone back")
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
