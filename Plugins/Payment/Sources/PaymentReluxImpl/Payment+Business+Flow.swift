internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import PaymentModels
internal import PaymentReluxInt
internal import PaymentServiceInt
internal import Relux

extension Payment.Business {
    protocol IFlow: Relux.Flow {}

    /// Takes money and gives it back, and tells others.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Payment.Business.Effect {
            case .capture(let orderId, let amount, let payer):
                await capture(Model.Charge(orderId: orderId, amount: amount, payer: payer))
            case .refund(let orderId, let reason): await refund(orderId, reason)
            case .retryRefunds: await retryRefunds()
            case .captured, .paymentFailed, .refunded, .refundFailed, nil: .success
            }
        }

        private func capture(_ charge: Model.Charge) async -> Relux.ActionResult {
            do throws(Model.Failure) {
                let receipt = try await svc.capture(charge)
                await actions {
                    Payment.Business.Action.captured(receipt: receipt)
                    Payment.Business.Effect.captured(receipt: receipt)
                }
                return .success(receipt)
            } catch {
                await track(error)
                await actions { Payment.Business.Effect.paymentFailed(orderId: charge.orderId, error: error) }
                return failure(error)
            }
        }

        /// Due before it is tried: whoever dies meanwhile finds it again.
        private func refund(_ orderId: String, _ reason: String) async -> Relux.ActionResult {
            await actions { Payment.Business.Action.refundDue(orderId: orderId, reason: reason) }
            do throws(Model.Failure) {
                let amount = try await svc.refund(orderId: orderId)
                await actions {
                    Payment.Business.Action.refundDone(orderId: orderId)
                    Payment.Business.Effect.refunded(orderId: orderId, amount: amount)
                }
                return .success(amount)
            } catch {
                await track(error)
                await actions { Payment.Business.Effect.refundFailed(orderId: orderId, error: error) }
                return failure(error)
            }
        }

        /// One after the other; the first that finds the service out of order ends the round.
        private func retryRefunds() async -> Relux.ActionResult {
            for (orderId, reason) in await state.due.sorted(by: { $0.key < $1.key }) {
                let result = await refund(orderId, reason)
                if result.isFailure { return result }
            }
            return .success
        }

        /// Only what the user cannot help is an error to track.
        private func track(_ error: Model.Failure) async {
            await actions {
                Payment.Business.Action.failed(error: error)
                if error.isOutage {
                    ErrorHandling.Business.Effect.track(
                        error: .init(domain: "Payment", code: error.code.rawValue, message: error.message))
                }
            }
        }

        private func failure(_ error: Model.Failure) -> Relux.ActionResult {
            .failure(Relux.Failure(domain: "Payment", code: "\(error.code)", message: error.message))
        }
    }
}
