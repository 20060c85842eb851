internal import Relux
internal import ReluxFiles
internal import SyncModels
internal import SyncReluxInt

extension Sync.Business {
    @MainActor
    final class State: IState, Relux.RestorableState {
        /// The most items of one user that wait; beyond it the oldest are forgotten, since a full exchange is due then anyway.
        static let limit = 10_000

        struct Stored: Codable, Sendable {
            var userId: String?
            var waiting = TextKeyed<[Model.Item]>()
        }

        private(set) var stored = Stored()
        private var failure: Model.Failure?
        private let readers = Snapshots<Sync.Business.Snapshot>()

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Sync.Business.Action.self, Sync.Business.Effect.self] }

        var userId: String? { stored.userId }
        var waiting: [Model.Item] { userId.flatMap { stored.waiting[$0] } ?? [] }
        var current: Sync.Business.Snapshot { Sync.Business.Snapshot(userId: userId, waiting: waiting.count, failure: failure) }

        var snapshots: AsyncStream<Sync.Business.Snapshot> { readers.stream() }

        func restore(_ stored: Stored) async {
            self.stored = stored
            publish()
        }

        func reduce(with action: any Relux.Action) async {
            switch action {
            // No item can be kept for an unusable user id: the flow refuses it.
            case Sync.Business.Effect.start(let userId): stored.userId = (try? Model.check(userId)).map { userId }
            case Sync.Business.Effect.stop: stored.userId = nil
            case Sync.Business.Effect.enqueue(let item): enqueue(item)
            case Sync.Business.Effect.deleteAll(let userId): stored.waiting[userId] = nil
            case Sync.Business.Action.sent(let items, let userId): sent(items, userId)
            case Sync.Business.Action.failed(let error): failure = error
            default: return
            }
            publish()
        }

        func cleanup() async {
            stored.userId = nil
            failure = nil
            publish()
        }

        private func enqueue(_ item: Model.Item) {
            guard let userId else { return }
            let others = (stored.waiting[userId] ?? []).filter { !$0.names(item) }
            stored.waiting[userId] = (others + [item]).suffix(Self.limit)
        }

        /// An item that has been removed meanwhile, or come back, goes on waiting.
        private func sent(_ items: [Model.Item], _ userId: String) {
            let gone = Set(items)
            let left = (stored.waiting[userId] ?? []).filter { !gone.contains($0) }
            stored.waiting[userId] = left.isEmpty ? nil : left
            failure = nil
        }

        private func publish() { readers.publish(current) }
    }
}
