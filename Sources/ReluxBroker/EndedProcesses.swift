import ReluxBus

/// Host processes whose end the supervisor has told, the latest last, as long as they may still be heard: what they said before that may arrive
/// after it, also when nobody knows the host any more.
struct EndedProcesses: Sendable {
    private struct Process: Sendable {
        var host: HostID
        var pid: Int32
        var endedAt: Duration
    }
    static let limit = 256
    private var latest: [Process] = []

    mutating func note(_ host: HostID, _ pid: Int32, now: Duration) {
        guard pid > 0 else { return }
        latest.append(Process(host: host, pid: pid, endedAt: now))
        if latest.count > Self.limit { latest.removeFirst() }
    }

    /// One of that number is another one than the one that had ended.
    mutating func started(_ host: HostID, _ pid: Int32) { latest.removeAll { $0.host == host && $0.pid == pid } }

    /// Numbers come again: an end that is long ago says nothing of who has it now.
    func contains(_ host: HostID, _ pid: Int32, since: Duration) -> Bool {
        latest.contains { $0.host == host && $0.pid == pid && $0.endedAt >= since }
    }
}
