package import ReluxWire

/// How much of what everybody has settled is kept: the flight recorder. Pure.
package struct JournalRetention: Sendable, Hashable {
    /// A segment may go as soon as newer ones hold this many bytes,
    package var byteCount: Int
    /// or when its last batch is this old.
    package var ageMilliseconds: UInt64
    /// or when there are this many newer ones: each life of a module begins one, and opening a journal looks at all.
    package var segmentCount: Int

    package init(byteCount: Int = 256 << 20, ageMilliseconds: UInt64 = 24 * 3600 * 1000, segmentCount: Int = 64) {
        self.byteCount = byteCount
        self.ageMilliseconds = ageMilliseconds
        self.segmentCount = segmentCount
    }

    /// The bytes that all journals of a node together may have on its disk, by default.
    package static let nodeCap = 8 << 30

    /// One segment as retention sees it.
    package struct Segment: Sendable, Hashable {
        package var number: UInt64
        package var byteCount: Int
        /// Milliseconds since 1970.
        package var lastWritten: UInt64

        package init(number: UInt64, byteCount: Int, lastWritten: UInt64) {
            self.number = number
            self.byteCount = byteCount
            self.lastWritten = lastWritten
        }
    }

    /// The number of the oldest segment that has to stay; the last one always has to.
    ///
    /// - Parameter segments: of one journal, the oldest first.
    package func oldestKept(of segments: [Segment], now: UInt64) -> UInt64 {
        var newer = 0
        for (index, segment) in segments.enumerated().reversed() {
            let age = now > segment.lastWritten ? now - segment.lastWritten : 0
            let isSurplus = segments.count - index > max(1, segmentCount)
            if index + 1 < segments.count, newer >= byteCount || age >= ageMilliseconds || isSurplus { return segments[index + 1].number }
            newer += segment.byteCount
        }
        return segments.first?.number ?? 0
    }

    /// Limits for journals so that all together stay below the cap: the oldest segments of the node go first, and the last one of a
    /// journal stays. Whoever owns the folder of all journals calls this and trims each with ``limited(to:)``.
    ///
    /// - Returns: bytes for each module that has to give; others are not named.
    package static func nodeShares(of journals: [ModuleID: [Segment]], cap: Int = nodeCap) -> [ModuleID: Int] {
        var total = journals.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.byteCount } }
        let candidates = journals.flatMap { module, segments in segments.dropLast().map { (module: module, segment: $0) } }
            .sorted { ($0.segment.lastWritten, $0.module, $0.segment.number) < ($1.segment.lastWritten, $1.module, $1.segment.number) }
        var shares: [ModuleID: Int] = [:]
        for (module, segment) in candidates where total > cap {
            let all = journals[module].map { $0.reduce(0) { $0 + $1.byteCount } } ?? 0
            shares[module, default: all] -= segment.byteCount
            total -= segment.byteCount
        }
        return shares
    }

    /// The same with fewer bytes, if `share` is fewer.
    package func limited(to share: Int?) -> JournalRetention {
        JournalRetention(byteCount: min(byteCount, share ?? byteCount), ageMilliseconds: ageMilliseconds, segmentCount: segmentCount)
    }
}
