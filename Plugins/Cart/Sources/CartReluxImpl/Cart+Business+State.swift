internal import CartModels
internal import CartReluxInt
internal import Relux

extension Cart.Business {
    @MainActor
    final class State: IState, Relux.RestorableState {
        struct Stored: Codable, Sendable {
            var userId: String?
            var lines: [Model.Line]
        }

        private var contents = Stored(lines: [])
        private var failure: Model.Failure?
        private var readers: [AsyncStream<Cart.Business.Snapshot>.Continuation] = []

        nonisolated init() {}

        var userId: String? { contents.userId }
        var lines: [Model.Line] { contents.lines }
        var current: Cart.Business.Snapshot { Cart.Business.Snapshot(userId: userId, lines: lines, failure: failure) }

        var snapshots: AsyncStream<Cart.Business.Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Cart.Business.Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        var stored: Stored { contents }

        func restore(_ stored: Stored) async {
            contents = stored
            publish()
        }

        func cleanup() async { change { $0 = Stored(lines: []) } }

        func change(_ body: (inout Stored) -> Void) {
            body(&contents)
            failure = nil
            publish()
        }

        func fail(_ error: Model.Failure) {
            failure = error
            publish()
        }

        private func publish() {
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}

extension Cart.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Cart.Business.Action.self, Cart.Business.Effect.self] }

    func reduce(with action: any Relux.Action) async {
        switch action {
        case Cart.Business.Action.added(let line): change { $0.add(line) }
        case Cart.Business.Action.failed(let error): fail(error)
        case Cart.Business.Effect.remove(let sku): change { $0.lines.removeAll { $0.sku == sku } }
        case Cart.Business.Effect.clear: change { $0.lines = [] }
        case Cart.Business.Effect.assign(let userId): change { $0.userId = userId }
        case Cart.Business.Effect.release: change { $0 = Stored(lines: []) }
        default: break
        }
    }
}

extension Cart.Business.State.Stored {
    /// The line of an article that is there already keeps its price, and never grows beyond the limit.
    fileprivate mutating func add(_ line: Cart.Business.Model.Line) {
        guard let index = lines.firstIndex(where: { $0.sku == line.sku }) else { return lines.append(line) }
        lines[index].quantity = min(lines[index].quantity + line.quantity, Cart.Business.Model.Line.limit)
    }
}
