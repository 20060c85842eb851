internal import CartModels
internal import CartReluxInt
internal import Relux

extension Cart.Business {
    @MainActor
    final class State: IState, Relux.RestorableState {
        typealias Stored = Model.Contents

        /// The stored form of version 1, which remembered no requests.
        struct StoredFirst: Codable, Sendable {
            var userId: String?
            var lines: [Model.Line]
        }

        private(set) var contents = Model.Contents()
        private var failure: Model.Failure?
        /// The pieces that were there, by the ticket of each refused addition.
        private var refusals: [UInt64: Int] = [:]
        private let readers = Snapshots<Cart.Business.Snapshot>()

        nonisolated init() {}

        var userId: String? { contents.userId }
        var lines: [Model.Line] { contents.lines }
        var current: Cart.Business.Snapshot { Cart.Business.Snapshot(userId: userId, lines: lines, failure: failure) }

        var snapshots: AsyncStream<Cart.Business.Snapshot> { readers.stream() }

        func wish(_ id: String, of userId: String) -> Model.Wish? { contents.wish(id, of: userId) }

        nonisolated static var storedVersion: UInt32 { 2 }
        nonisolated static var olderVersions: [UInt32] { [1] }
        var stored: Model.Contents { contents }

        nonisolated static func migrate(_ older: Relux.StoredValue) throws -> Model.Contents {
            let first = try older.decode(StoredFirst.self)
            return Model.Contents(userId: first.userId, lines: first.lines)
        }

        nonisolated static func older(_ stored: Model.Contents, version: UInt32) throws -> any Encodable & Sendable {
            StoredFirst(userId: stored.userId, lines: stored.lines)
        }

        func restore(_ stored: Model.Contents) async {
            contents = stored
            publish()
        }

        func cleanup() async { change { $0 = Model.Contents() } }

        func refusal(of ticket: UInt64) -> Int? { refusals.removeValue(forKey: ticket) }

        func add(_ line: Model.Line, _ ticket: UInt64) {
            let there = contents.pieces(of: line.sku)
            if Model.Line.takes(line.quantity, to: there) { change { $0.add(line) } } else { refusals[ticket] = there }
        }

        func change(_ body: (inout Model.Contents) -> Void) {
            body(&contents)
            failure = nil
            publish()
        }

        func fail(_ error: Model.Failure) {
            failure = error
            publish()
        }

        private func publish() { readers.publish(current) }
    }
}

extension Cart.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Cart.Business.Action.self, Cart.Business.Effect.self] }

    func reduce(with action: any Relux.Action) async {
        switch action {
        case Cart.Business.Action.added(let line, let ticket): add(line, ticket)
        case Cart.Business.Action.removed(let sku): change { $0.remove(sku) }
        case Cart.Business.Action.requested(let request): change { $0.request(request) }
        case Cart.Business.Action.failed(let error): fail(error)
        case Cart.Business.Effect.clear: change { $0.clear() }
        // The flow says why the request is refused.
        case Cart.Business.Effect.assign(let userId): if (try? Cart.Business.Model.Failure.check(userId: userId)) != nil { change { $0.assign(to: userId) } }
        case Cart.Business.Effect.release: change { $0 = Cart.Business.Model.Contents() }
        case Cart.Business.Effect.bought(let id, let userId): change { $0.bought(id, by: userId) }
        case Cart.Business.Effect.notBought(let id, let userId, let reason): change { $0.notBought(id, by: userId, reason) }
        default: break
        }
    }
}
