package import ReluxWire

/// The content of a segment, as far as trimming asks.
struct SegmentSummary {
    /// How far the numbers had been given out when it began.
    var start: JournalNumbers
    var byteCount: Int
    /// Milliseconds since 1970.
    var lastWritten: UInt64
}

extension JournalWriter {
    /// Removes whole segments that nobody needs and that retention does not keep, the oldest first.
    ///
    /// - Parameters:
    ///   - needed: the lowest sequence of each topic that a recipient has not settled. A topic that is not named needs nothing.
    ///   - retention: what is kept although nobody needs it; see `JournalRetention.nodeShares(of:cap:)` for the node's limit.
    /// - Returns: what went. The present segment and all from the caller's last state on always stay.
    /// - Throws: `poisoned` (a sync has failed), `damaged` (a segment that cannot be read is kept, and
    ///   all behind it), `failed`.
    @discardableResult
    package func trim(needed: [Topic: UInt64], retention: JournalRetention) throws(JournalError) -> JournalTrim {
        let segments = try segments()
        var bound = retention.oldestKept(of: segments, now: folder.environment.steadyMilliseconds())
        bound = min(bound, segment.header.number, base > 0 ? base : .max)
        var trim = JournalTrim(segments: 0, bytes: 0, remainingBytes: segments.reduce(0) { $0 + $1.byteCount })
        var going: [JournalRetention.Segment] = []
        for found in segments where found.number < bound {
            let next = try start(of: found.number + 1)
            guard needed.allSatisfy({ topic, low in next.head(of: topic) < low }) else { break }
            going.append(found)
        }
        guard let last = going.last else { return trim }
        try sync(through: max(last.number + 1, base))
        for found in going {
            let file = folder.file(found.number)
            try folder.perform(file) { () throws(SystemError) in try folder.files.remove(file) }
            summaries[found.number] = nil
            written[found.number] = nil
            oldest = found.number + 1
            trim.segments += 1
            trim.bytes += found.byteCount
            trim.remainingBytes -= found.byteCount
        }
        return trim
    }

    /// Brings to the disk what recovery will begin with, before what it began with goes: all up to the oldest segment that stays and to the caller's
    /// last state, those that go included, for a removal may be undone by a loss of power. Most of it has been written back long ago.
    private func sync(through number: UInt64) throws(JournalError) {
        try checkUsable()
        do throws(SystemError) {
            while firstUnsynced <= min(number, segment.header.number - 1) {
                let file = try folder.files.open(folder.file(firstUnsynced), .readWrite)
                defer { folder.files.close(file) }
                try folder.files.sync(file)
                firstUnsynced += 1
            }
            if isNameUnsynced { try folder.files.syncDirectory(folder.path) }
            isNameUnsynced = false
        } catch {
            let failure = JournalError(error, file: folder.file(firstUnsynced))
            // Nothing was synced, so nothing is uncertain.
            throw error.call == .sync ? poisoned(failure) : failure
        }
        if number >= segment.header.number { try sync() }
    }

    /// The journal's segments for `JournalRetention.nodeShares(of:cap:)`, the oldest first.
    package func segments() throws(JournalError) -> [JournalRetention.Segment] {
        var segments: [JournalRetention.Segment] = []
        for number in oldest..<segment.header.number {
            let summary = try summary(of: number)
            segments.append(.init(number: number, byteCount: summary.byteCount, lastWritten: summary.lastWritten))
        }
        segments.append(.init(number: segment.header.number, byteCount: segment.capacity, lastWritten: segment.lastWritten))
        return segments
    }

    private func start(of number: UInt64) throws(JournalError) -> JournalNumbers {
        if number == segment.header.number, summaries[number] == nil { return try load(number).start }
        return try summary(of: number).start
    }

    private func summary(of number: UInt64) throws(JournalError) -> SegmentSummary {
        if let known = summaries[number] { return known }
        var summary = try load(number)
        // The file system's clock may have been set since: our own segments are as old as we know, and nothing is younger than now.
        summary.lastWritten = written[number] ?? min(summary.lastWritten, folder.environment.steadyMilliseconds())
        summaries[number] = summary
        return summary
    }

    private func load(_ number: UInt64) throws(JournalError) -> SegmentSummary {
        try SegmentSummary(of: number, in: folder)
    }
}

extension SegmentSummary {
    /// Reads no more than the header and the first batch.
    init(of number: UInt64, in folder: JournalFolder) throws(JournalError) {
        let stream = try BatchStream(folder: folder, number: number)
        guard case .batch(let first) = try stream.next() else {
            throw folder.damaged(number, JournalFormat.headerByteCount, "the CHECKPOINT of the segment is not whole")
        }
        start = JournalNumbers()
        start.take(first.batch)
        let facts = try stream.facts()
        byteCount = facts.byteCount
        lastWritten = UInt64(max(0, facts.modified / 1_000_000))
    }
}
