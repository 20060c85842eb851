import Relux
import ReluxControl
import ReluxLayers
import ReluxWire
import Synchronization

/// Tells the broker and the log of handlers that keep a thread. Asked on the receiving thread, which goes on when every thread of the pool is kept.
final class ThreadWatch: Sendable {
    fileprivate struct State: Sendable {
        var threads = BlockedThreads()
        var told: [BlockedHandler] = []
        var lookedAt = ContinuousClock.now
        var toldAt = ContinuousClock.now
    }
    fileprivate static let interval = Duration.milliseconds(500)
    /// After this time it is said again, with the time that has passed; a broker that came back knows nothing of it.
    fileprivate static let repetition = Duration.seconds(1)

    private let state = Mutex(State())
    private let exchange = Mutex<Relux.Exchange?>(nil)
    private let host: String

    init(host: String) { self.host = host }

    func attach(_ exchange: Relux.Exchange) { self.exchange.withLock { $0 = exchange } }

    /// The message that the broker is to get now; called some times a second.
    func look() -> HostMessage? {
        guard let exchange = exchange.withLock({ $0 }), let news = state.withLock({ $0.look(exchange, now: .now) }) else { return nil }
        for handler in news.new { StandardError.write("relux-host \(host): \(handler.text)") }
        return .blocked(news.all)
    }
}

extension ThreadWatch.State {
    /// Nil when there is nothing to tell.
    fileprivate mutating func look(
        _ exchange: Relux.Exchange, now: ContinuousClock.Instant
    ) -> (all: [BlockedHandler], new: [BlockedHandler])? {
        guard now - lookedAt >= ThreadWatch.interval else { return nil }
        lookedAt = now
        let modules = exchange.parties.map(\.rawValue)
        let found = threads.look(exchange.openRuns(), now: now) { file in
            LibraryName(file: file).owner(among: modules).flatMap { ModuleID(rawValue: $0) }
        }
        let known = Set(told.map(\.effect))
        let isNews = Set(found.map(\.effect)) != known
        guard isNews || !found.isEmpty && now - toldAt >= ThreadWatch.repetition else { return nil }
        (told, toldAt) = (found, now)
        return (found, found.filter { !known.contains($0.effect) })
    }
}
