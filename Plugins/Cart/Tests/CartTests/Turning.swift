import CartModels
@testable import CartReluxImpl
import CartReluxInt
import CartTestSupport
import Relux

/// A cart that is another user's after each look at it.
@MainActor
final class Turning: Cart.Business.IState {
    private var reads = 0

    nonisolated init() {}

    nonisolated var reduces: [any Relux.Action.Type]? { [] }
    func reduce(with action: any Relux.Action) async {}
    func cleanup() async {}

    var contents: Cart.Business.Model.Contents {
        reads += 1
        return Cart.Business.Model.Contents(userId: "u\(reads)", lines: [.init(sku: "of u\(reads)", quantity: 1, unitPrice: 1)])
    }
    var userId: String? { contents.userId }
    var lines: [Cart.Business.Model.Line] { contents.lines }
    func refusal(of ticket: UInt64) -> Int? { nil }
    /// Remembers each, and nobody says what becomes of it.
    func wish(_ id: String, of userId: String) -> Cart.Business.Model.Wish? { Cart.Business.Model.Wish(.init(id: id, userId: userId, lines: [])) }

    var current: Cart.Business.Snapshot { Cart.Business.Snapshot() }
    var snapshots: AsyncStream<Cart.Business.Snapshot> { AsyncStream { $0.finish() } }

    struct Module: Relux.Module {
        let moduleID: ModuleID = "Turning"
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga]

        init(state: Turning) { sagas = [Cart.Business.Flow(svc: Cart.Business.ServiceMock(prices: [:]), state: state)] }
    }
}
