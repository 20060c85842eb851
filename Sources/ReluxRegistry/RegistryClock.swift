/// The time that the registry goes by, and what it does from time to time. Pure.
struct RegistryClock: Sendable {
    /// The time that limits go by.
    private(set) var now: Duration = .zero
    /// The same for what is measured: of a clock that never stops.
    private(set) var time: Duration = .zero
    private var pingedAt: Duration?
    private var notedAt: Duration = .zero

    init() {}
    init(now: Duration) { (self.now, time) = (now, now) }

    /// A smaller value than before counts as the earlier one.
    mutating func pass(_ now: Duration, _ time: Duration) {
        self.now = max(self.now, now)
        self.time = max(self.time, time)
    }

    /// Whether hosts are to be pinged, now.
    mutating func takePing(every interval: Duration) -> Bool {
        guard pingedAt.map({ now - $0 >= interval }) ?? true else { return false }
        pingedAt = now
        return true
    }

    /// Whether the times in quarantine are to be written down, now.
    mutating func takeNote(every interval: Duration) -> Bool {
        guard now - notedAt >= interval else { return false }
        notedAt = now
        return true
    }
}
