import CheckoutReluxInt
import PaymentReluxInt
import Relux
import ReluxTestKit

/// Gives money back when the test lets it.
struct Refunds: Relux.Module {
    let moduleID: ModuleID = "Refunds"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(_ gate: Gate) { sagas = [Saga(gate)] }

    actor Saga: Relux.Saga {
        private let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        func apply(_ effect: any Relux.Effect) async {
            if case .retryRefunds? = effect as? Payment.Business.Effect { await gate.pass() }
        }
    }
}

/// A Checkout that places and closes nothing, for one reason.
struct Refusing: Relux.Module {
    let moduleID: ModuleID = "Refusing"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(_ code: Checkout.Business.Model.Failure.Code) { sagas = [Flow(code)] }

    actor Flow: Relux.Flow {
        private let code: Checkout.Business.Model.Failure.Code
        init(_ code: Checkout.Business.Model.Failure.Code) { self.code = code }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Checkout.Business.Effect {
            case .close, .place: .failure(Relux.Failure(domain: "Checkout", code: "\(code)", message: "the test says \(code)"))
            default: .success
            }
        }
    }
}

/// A Checkout that knows whose each order is.
struct Knowing: Relux.Module {
    let moduleID: ModuleID = "Checkout"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(_ owner: String) { sagas = [Flow(owner)] }

    actor Flow: Relux.Flow {
        private let owner: String
        init(_ owner: String) { self.owner = owner }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard case .status(let orderId)? = effect as? Checkout.Business.Effect else { return .success }
            let order = Checkout.Business.Model.Order(id: orderId, userId: owner, lines: [.init(sku: "milk", quantity: 1, unitPrice: 5)], total: 5)
            return .success(Checkout.Business.Model.Purchase(order: order))
        }
    }
}

/// A Payment that owes what a test says, and counts how often it is asked.
@MainActor
struct Due: Relux.Module {
    let moduleID: ModuleID = "Payment"
    let state = State()
    let asked = Recorder<EffectID?>()
    let states: [any Relux.AnyState]
    let sagas: [any Relux.Saga]
    let relays: [any Relux.StateRelaying]

    init() {
        states = [state]
        sagas = [Saga(asked)]
        relays = [Relux.UI.StateRelay(state)]
    }

    final class State: Relux.HybridState, SnapshotProviding {
        private(set) var current = Payment.Business.Snapshot()
        private var reader: AsyncStream<Payment.Business.Snapshot>.Continuation?

        nonisolated init() {}

        var snapshots: AsyncStream<Payment.Business.Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Payment.Business.Snapshot.self)
            reader = continuation
            return stream
        }

        func set(_ due: [String]) {
            current = Payment.Business.Snapshot(due: due)
            reader?.yield(current)
        }

        func reduce(with action: any Relux.Action) async {}
        func cleanup() async {}
    }

    actor Saga: Relux.Saga {
        private let asked: Recorder<EffectID?>
        init(_ asked: Recorder<EffectID?>) { self.asked = asked }
        func apply(_ effect: any Relux.Effect) async {
            if case .retryRefunds? = effect as? Payment.Business.Effect { asked.record(Relux.handledEffect) }
        }
    }
}
