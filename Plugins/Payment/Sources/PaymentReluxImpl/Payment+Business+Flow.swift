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
        private var isRetrying = false
        /// For each refund that the service refuses: in how many rounds it did, and how many more rounds leave it out.
        private var rests: [[UInt8]: (answers: Int, left: Int)] = [:]
        /// The most rounds in a row that leave a refund out: it is then asked for in every 64th.
        private static let longestRest = 63
        /// Tells a run in this life of the process from one in an earlier life.
        private let life = UInt64.random(in: .min ... .max)

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Payment.Business.Effect {
            case .capture(let orderId, let amount, let payer):
                await capture(Model.Charge(orderId: orderId, amount: amount, payer: payer))
            case .refund(let orderId, let userId, let reason): await refund(Model.Debt(orderId: orderId, userId: userId, reason: reason))
            case .retryRefunds: await retryRefunds()
            case .acknowledge(let orderId, let userId): await acknowledge(orderId, userId)
            case .captured, .paymentFailed, .refunded, .refundFailed, nil: .success
            }
        }

        /// The outcome of a capture, kept before others hear of it: a run after a death asks nobody again and tells the same.
        private struct Verdict: Codable, Sendable {
            var receipt: Model.Receipt?
            var failure: Model.Failure?
        }

        private func capture(_ charge: Model.Charge) async -> Relux.ActionResult {
            do throws(Model.Failure) { try charge.check() } catch { return await failed(charge, error) }
            let verdict: Verdict
            do {
                // A run that died may have asked: whatever the answer now, the charge may have succeeded.
                let hasDied = try await once("life") { life } != life
                verdict = try await once("verdict") {
                    do throws(Model.Failure) {
                        return Verdict(receipt: try await svc.capture(charge))
                    } catch {
                        return Verdict(failure: hasDied ? error.afterDeath : error)
                    }
                }
            } catch let error as Relux.Failure where error.code == "coding" {
                // The outcome can never be kept: others are told that instead, and the charge is refunded.
                verdict = Verdict(failure: Model.Failure(code: .unexpectedAnswer, message: error.message, mayHaveCaptured: true))
            } catch {
                // The journal accepts nothing any more; the next life handles the effect again.
                return .failure(error)
            }
            if let receipt = verdict.receipt {
                await actions {
                    Payment.Business.Action.captured(receipt: receipt)
                    Payment.Business.Effect.captured(receipt: receipt)
                }
                return .success(receipt)
            }
            let error = verdict.failure ?? Model.Failure(code: .unexpectedAnswer, message: "the payment has no outcome", mayHaveCaptured: true)
            return await failed(charge, error)
        }

        private func failed(_ charge: Model.Charge, _ error: Model.Failure) async -> Relux.ActionResult {
            await track(error)
            await actions { Payment.Business.Effect.paymentFailed(orderId: charge.orderId, userId: charge.payer, error: error) }
            return failure(error)
        }

        /// No failure: Checkout acknowledges each time that it is told.
        private func acknowledge(_ orderId: String, _ userId: String) async -> Relux.ActionResult {
            guard await state.due.contains(where: { $0.isEnded(by: userId, of: orderId) }) else {
                return .success("nothing is due for order '\(orderId.prefix(64))' of '\(userId.prefix(64))'; nothing has changed")
            }
            await actions { Payment.Business.Action.acknowledged(orderId: orderId, userId: userId) }
            return .success
        }

        private func refund(_ debt: Model.Debt) async -> Relux.ActionResult {
            // A debt of an earlier version has no user; the rounds ask for it.
            guard !debt.userId.isEmpty, !debt.orderId.isEmpty else {
                return failure(
                    Model.Failure(
                        code: .invalidCharge,
                        message: "nothing goes back for order '\(debt.orderId.prefix(64))' of user '\(debt.userId.prefix(64))'; name the order and whoever has paid it"))
            }
            rests[Self.key(debt)] = nil
            do throws(Model.Failure) {
                return .success(try await giveBack(debt))
            } catch {
                return failure(error)
            }
        }

        /// Kept as due before it is tried, so that the next life finds it.
        private func giveBack(_ debt: Model.Debt) async throws(Model.Failure) -> Int64 {
            await actions { Payment.Business.Action.refundDue(orderId: debt.orderId, userId: debt.userId, reason: debt.reason) }
            do throws(Model.Failure) {
                let amount = try await svc.refund(orderId: debt.orderId, payer: debt.userId)
                await actions {
                    Payment.Business.Action.refundDone
                    Payment.Business.Effect.refunded(orderId: debt.orderId, userId: debt.userId, amount: amount)
                }
                return amount
            } catch {
                await track(error)
                await actions { Payment.Business.Effect.refundFailed(orderId: debt.orderId, userId: debt.userId, error: error) }
                throw error
            }
        }

        /// Tries one refund after another, the least tried first. A refund that finds the service out of order ends the round, so it ends
        /// the round of others only once and then comes behind them. A refused refund holds up no other, and ever more rounds
        /// leave it out, since the service will hardly change its answer.
        private func retryRefunds() async -> Relux.ActionResult {
            guard !isRetrying else { return .success }
            isRetrying = true
            defer { isRetrying = false }
            var first: Model.Failure?
            let due = await state.due.enumerated().sorted { ($0.element.attempts, $0.offset) < ($1.element.attempts, $1.offset) }
            let keys = Set(due.map { Self.key($0.element) })
            rests = rests.filter { keys.contains($0.key) }
            for debt in due.map(\.element) {
                // If acknowledged meanwhile, it must not become due again.
                guard await state.due.contains(where: { $0.isFor(debt.orderId, debt.userId) }) else { continue }
                guard !isResting(debt) else { continue }
                do throws(Model.Failure) {
                    _ = try await giveBack(debt)
                } catch {
                    first = first ?? error
                    if error.isOutage { break }
                    rest(debt)
                }
            }
            return first.map(failure) ?? .success
        }

        private func isResting(_ debt: Model.Debt) -> Bool {
            guard let rest = rests[Self.key(debt)], rest.left > 0 else { return false }
            rests[Self.key(debt)]?.left -= 1
            return true
        }

        /// After the first answer no round leaves it out, then 1, 3, 7 and so on.
        private func rest(_ debt: Model.Debt) {
            let answers = min((rests[Self.key(debt)]?.answers ?? 0) + 1, 7)
            rests[Self.key(debt)] = (answers, min(Self.longestRest, 1 << (answers - 1) - 1))
        }

        private static func key(_ debt: Model.Debt) -> [UInt8] { Array("\(debt.orderId)\u{0}\(debt.userId)".utf8) }

        /// Errors that the user cannot help are tracked.
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
