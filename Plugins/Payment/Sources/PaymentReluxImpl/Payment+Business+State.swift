internal import PaymentModels
internal import PaymentReluxInt
internal import Relux

extension Payment.Business {
    @MainActor
    final class State: IState, Relux.RestorableState {
        private(set) var due: [Model.Debt] = []
        private var failure: Model.Failure?
        private let readers = Snapshots<Payment.Business.Snapshot>()

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Payment.Business.Action.self] }

        var current: Payment.Business.Snapshot { Payment.Business.Snapshot(due: due.map(\.orderId).sorted(), failure: failure) }

        var snapshots: AsyncStream<Payment.Business.Snapshot> { readers.stream() }

        nonisolated static var storedVersion: UInt32 { 2 }
        nonisolated static var olderVersions: [UInt32] { [1] }
        var stored: [Model.Debt] { due }

        nonisolated static func migrate(_ older: Relux.StoredValue) throws -> [Model.Debt] { debts(of: try older.decode([String: String].self)) }

        /// Version 1 kept the reasons by order, without the user.
        nonisolated static func debts(of reasons: [String: String]) -> [Model.Debt] {
            reasons.sorted { $0.key < $1.key }.map { Model.Debt(orderId: $0.key, userId: "", reason: $0.value) }
        }

        nonisolated static func older(_ stored: [Model.Debt], version: UInt32) throws -> any Encodable & Sendable {
            Dictionary(stored.map { ($0.orderId, $0.reason) }) { first, _ in first }
        }

        func restore(_ stored: [Model.Debt]) async {
            due = stored
            publish()
        }

        func reduce(with action: any Relux.Action) async {
            switch action {
            case Payment.Business.Action.refundDue(let orderId, let userId, let reason): isDue(orderId, userId, reason)
            case Payment.Business.Action.acknowledged(let orderId, let userId): due.removeAll { $0.isEnded(by: userId, of: orderId) }
            case Payment.Business.Action.refundDone, Payment.Business.Action.captured: failure = nil
            case Payment.Business.Action.failed(let error): failure = error
            default: return
            }
            publish()
        }

        func cleanup() async {
            // The due refunds stay due.
            failure = nil
            publish()
        }

        private func isDue(_ orderId: String, _ userId: String, _ reason: String) {
            guard let place = due.firstIndex(where: { $0.isFor(orderId, userId) }) else {
                return due.append(Model.Debt(orderId: orderId, userId: userId, reason: reason))
            }
            if due[place].attempts < .max { due[place].attempts += 1 }
        }

        private func publish() { readers.publish(current) }
    }
}
