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
        /// How often each refund was answered in rounds and is due all the same, and how many rounds still leave it out.
        private var rests: [[UInt8]: (answers: Int, left: Int)] = [:]
        /// The most rounds in a row that leave a refund out: every 64th round asks for it then.
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

        /// How a capture has ended. It is kept before anybody hears of it: a run after a death asks nobody again and tells nothing else.
        private struct Verdict: Codable, Sendable {
            var receipt: Model.Receipt?
            var failure: Model.Failure?
        }

        private func capture(_ charge: Model.Charge) async -> Relux.ActionResult {
            do throws(Model.Failure) { try charge.check() } catch { return await failed(charge, error) }
            let verdict: Verdict
            do {
                // A run that died may have been asking: whatever this one hears, the money may have been taken.
                let hasDied = try await once("life") { life } != life
                verdict = try await once("verdict") {
                    do throws(Model.Failure) {
                        return Verdict(receipt: try await svc.capture(charge))
                    } catch {
                        return Verdict(failure: hasDied ? error.afterDeath : error)
                    }
                }
            } catch let error as Relux.Failure where error.code == "coding" {
                // What has happened cannot be kept, in no life: that is told instead, and whatever was taken goes back.
                verdict = Verdict(failure: Model.Failure(code: .unexpectedAnswer, message: error.message, mayHaveCaptured: true))
            } catch {
                // The journal takes nothing any more; the effect is handled again in the next life.
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

        /// No failure: whoever has written it down says so each time that they hear of it.
        private func acknowledge(_ orderId: String, _ userId: String) async -> Relux.ActionResult {
            guard await state.due.contains(where: { $0.isEnded(by: userId, of: orderId) }) else {
                return .success("nothing is due for order '\(orderId.prefix(64))' of '\(userId.prefix(64))'; nothing has changed")
            }
            await actions { Payment.Business.Action.acknowledged(orderId: orderId, userId: userId) }
            return .success
        }

        private func refund(_ debt: Model.Debt) async -> Relux.ActionResult {
            // A debt of an earlier version, which has no user, is asked for in rounds.
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

        /// Due before it is tried: whoever dies meanwhile finds it again.
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

        /// One after the other; one that finds the service out of order ends the round, one that is refused holds up no other. What was tried least
        /// comes first: so one that never finds it in order ends the round of others once, and then comes behind them. What the service
        /// refuses is left out by ever more rounds: of itself it will hardly say anything else.
        private func retryRefunds() async -> Relux.ActionResult {
            guard !isRetrying else { return .success }
            isRetrying = true
            defer { isRetrying = false }
            var first: Model.Failure?
            let due = await state.due.enumerated().sorted { ($0.element.attempts, $0.offset) < ($1.element.attempts, $1.offset) }
            let keys = Set(due.map { Self.key($0.element) })
            rests = rests.filter { keys.contains($0.key) }
            for debt in due.map(\.element) {
                // Acknowledged meanwhile, it must not become due again.
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

        /// The first answer costs no round, then it is 1, 3, 7 and so on.
        private func rest(_ debt: Model.Debt) {
            let answers = min((rests[Self.key(debt)]?.answers ?? 0) + 1, 7)
            rests[Self.key(debt)] = (answers, min(Self.longestRest, 1 << (answers - 1) - 1))
        }

        private static func key(_ debt: Model.Debt) -> [UInt8] { Array("\(debt.orderId)\u{0}\(debt.userId)".utf8) }

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
