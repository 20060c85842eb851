import Relux
import ReluxControl
import Synchronization

/// Asks each module's own executors for a sign of life; the In thread reads the answer once a second, and when the broker pings.
///
/// A saga that waits lets other calls in and answers; a saga that blocks its executor does not.
final class LivenessProbe: Sendable {
    private struct Watched: Sendable {
        var executors: Relux.Executors
        var askedAt: ContinuousClock.Instant?
        var round: UInt64 = 0
    }
    private let watched = Mutex<[ModuleID: Watched]>([:])
    private let limit: Duration
    /// The broker was told last that some module is stalled.
    private let hasTold = Mutex(false)
    private let exchange = Mutex<Relux.Exchange?>(nil)

    init(limit: Duration) { self.limit = limit }

    /// Gives it the exchange that knows what a stalled module has not settled.
    func attach(_ exchange: Relux.Exchange) { self.exchange.withLock { $0 = exchange } }

    /// The answer to a ping.
    func answer() -> [HostMessage] { answer(stalled()) }

    /// The same while a module is stalled, and once when none is any more; the broker counts the time from word to word.
    func news() -> [HostMessage] {
        let stalled = stalled()
        return !stalled.isEmpty || hasTold.withLock { $0 } ? answer(stalled) : []
    }

    private func answer(_ stalled: [ModuleID]) -> [HostMessage] {
        hasTold.withLock { $0 = !stalled.isEmpty }
        guard !stalled.isEmpty, let exchange = exchange.withLock({ $0 }) else { return [.pong(stalled: stalled)] }
        return [.unsettled(exchange.unsettledWithin()), .pong(stalled: stalled)]
    }

    func watch(_ id: ModuleID, _ module: any Relux.Module) {
        let executors = Relux.Executors(sagas: module.sagas, states: module.states)
        watched.withLock { $0[id] = Watched(executors: executors) }
    }

    func forget(_ id: ModuleID) { watched.withLock { $0[id] = nil } }

    /// Sends one question to every module that has answered the last.
    func ask() {
        let questions = watched.withLock { watched in
            var questions: [(ModuleID, UInt64, Relux.Executors)] = []
            for id in watched.keys where watched[id]?.askedAt == nil {
                watched[id]?.askedAt = .now
                watched[id]?.round += 1
                if let entry = watched[id] { questions.append((id, entry.round, entry.executors)) }
            }
            return questions
        }
        for (id, round, executors) in questions {
            // Unstructured on purpose: an actor that hangs must not hold up the others' questions.
            Task.detached { [self] in
                await executors.answer()
                watched.withLock { watched in
                    if watched[id]?.round == round { watched[id]?.askedAt = nil }
                }
            }
        }
    }

    /// Modules that have not answered within the limit.
    func stalled() -> [ModuleID] {
        watched.withLock { watched in
            watched.filter { $0.value.askedAt.map { ContinuousClock.now - $0 > limit } ?? false }.map(\.key).sorted()
        }
    }
}
