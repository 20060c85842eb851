/// When heads are said next, and when is asked again for what is missing. Pure.
struct HeadClock: Sendable {
    static let interval = Duration.milliseconds(200)
    /// The interval while frames are dropped for a slow subscriber, who may have room again at any moment.
    static let probeInterval = Duration.milliseconds(50)

    private var headDueAt: Duration?
    /// When the first patience with an answer ends.
    private var askAgainAt: Duration?
    /// A frame was dropped for a slow subscriber since the last heads.
    private var hasDropped = false

    /// When there is something to do at the latest; nil when nothing is unsettled.
    var next: Duration? {
        guard let askAgainAt else { return headDueAt }
        return min(askAgainAt, headDueAt ?? askAgainAt)
    }

    mutating func headSoon(_ now: Duration) { if headDueAt == nil { headDueAt = now + Self.interval } }

    mutating func head(by time: Duration) { headDueAt = min(headDueAt ?? time, time) }

    mutating func noteDrop(_ now: Duration) {
        hasDropped = true
        head(by: now + Self.probeInterval)
    }

    /// - Returns: nil when no heads are due; else whether a frame was dropped since the last ones: what is said now shows whether there is room again.
    mutating func takeHead(_ now: Duration) -> Bool? {
        guard let due = headDueAt, due <= now else { return nil }
        defer { (headDueAt, hasDropped) = (nil, false) }
        return hasDropped
    }

    mutating func askAgain(by time: Duration) { askAgainAt = min(askAgainAt ?? time, time) }

    mutating func takeAskAgain(_ now: Duration) -> Bool {
        guard let due = askAgainAt, due <= now else { return false }
        askAgainAt = nil
        return true
    }
}
