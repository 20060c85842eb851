import Relux
package import ReluxJournal
package import ReluxWire

/// How far a module's journal is known to have come, by the broker, which hears of it from those who write it. Whoever opens the journal is told:
/// where it has less, an older copy of it came back, somebody has taken it away, or the power went.
package struct KnownLives: Codable, Sendable, Hashable {
    /// The latest lives, in order. The entry of a life that has not ended in order says that it had opened the journal.
    package private(set) var ends: [JournalEnd] = []
    private static let limit = 8

    package init() {}

    /// - Returns: whether that was news.
    package mutating func note(_ end: JournalEnd) -> Bool {
        if let index = ends.lastIndex(where: { $0.epoch == end.epoch }) {
            guard end.batch > ends[index].batch else { return false }
            ends[index] = end
            return true
        }
        guard end.epoch > ends.last?.epoch ?? Epoch(0) else { return false }
        ends.append(end)
        if ends.count > Self.limit { ends.removeFirst() }
        return true
    }

    /// The positions of earlier lives that the journal does not have; an earlier opening has written down what was missing then.
    ///
    /// - Parameters:
    ///   - found: where the journal ended before its present life has opened it.
    ///   - epoch: of that life.
    package func missing(behind found: JournalEnd, before epoch: Epoch) -> ClosedRange<UInt64>? {
        let missing = ends.filter { $0.epoch < epoch && ($0.epoch > found.epoch || $0.epoch == found.epoch && $0.batch > found.batch) }
        guard let first = missing.first, let last = missing.last, last.epoch <= .limit else { return nil }
        let begin =
            if first.epoch == found.epoch {
                max(found.position + 1, first.epoch.start)
            } else if found.epoch < ends[0].epoch {
                // The lives before those that are known are missing, too.
                Epoch(found.epoch.rawValue + 1).start
            } else {
                first.epoch.start
            }
        return min(begin, last.last)...last.last
    }
}
