package import ReluxWire

/// An answer to `JournalReader.select(_:_:byteBudget:)`.
package struct JournalSelection: Sendable, Hashable {
    /// In order, with the epoch that each was written in.
    package var runs: [Run] = []
    /// The parts of the asked range that will never be served: trimmed, lost or never given out. They end before ``next``.
    package var gone: [ClosedRange<UInt64>] = []
    /// Where to ask on, because the budget was used up; nil when the range is answered up to its end or the journal's.
    package var next: UInt64?

    package struct Run: Sendable, Hashable {
        package var run: JournalRun
        package var epoch: Epoch
    }
}

extension JournalReader {
    /// The runs that hold a stream's records from one sequence to another, as they were appended; the first and the last may hold more.
    /// Where ``next(byteBudget:)`` stands does not matter and does not change.
    ///
    /// - Parameter byteBudget: of record bytes; one run at least is returned when one is there.
    /// - Throws: `damaged`, `failed`.
    package func select(
        _ topic: Topic, _ sequences: ClosedRange<UInt64>, byteBudget: Int
    ) throws(JournalError) -> JournalSelection {
        try again { () throws(JournalError) in try self.selectOnce(topic, sequences, byteBudget) }
    }

    private func selectOnce(
        _ topic: Topic, _ sequences: ClosedRange<UInt64>, _ byteBudget: Int
    ) throws(JournalError) -> JournalSelection {
        var answer = JournalSelection()
        let upper = sequences.upperBound
        var cursor = sequences.lowerBound
        var budget = byteBudget
        let segments = try segments()
        for (position, number) in segments.enumerated() {
            if position + 1 < segments.count, try start(of: segments[position + 1]).head(of: topic) < cursor { continue }
            let index = try index(of: number)
            if index.start.head(of: topic) >= upper, position > 0 { break }
            guard let offset = index.offset(of: topic, sequence: cursor) else { continue }
            let batches = try BatchStream(folder: folder, number: number)
            batches.seek(offset)
            while batches.offset < index.end, case .batch(let stored) = try batches.next() {
                for run in stored.batch.runs where run.topic == topic {
                    guard let range = run.sequences, range.upperBound >= cursor else { continue }
                    if range.lowerBound > upper {
                        answer.gone.append(cursor...upper)
                        return answer
                    }
                    guard budget > 0 || answer.runs.isEmpty else {
                        answer.next = cursor
                        return answer
                    }
                    if range.lowerBound > cursor { answer.gone.append(cursor...(range.lowerBound - 1)) }
                    answer.runs.append(.init(run: run, epoch: stored.batch.epoch))
                    budget -= run.records.count
                    guard range.upperBound < upper else { return answer }
                    cursor = range.upperBound + 1
                }
            }
        }
        let head = try segments.last.map { last throws(JournalError) in try index(of: last).numbers.head(of: topic) } ?? 0
        if cursor <= min(upper, head) { answer.gone.append(cursor...min(upper, head)) }
        return answer
    }

    /// How far the journal goes: heads of all streams, the last position.
    package func numbers() throws(JournalError) -> JournalNumbers {
        try again { () throws(JournalError) in try self.index(of: try self.segments().last ?? self.stream.number).numbers }
    }

    /// The lowest sequence of the stream that may still be served; above the head when none is.
    package func low(of topic: Topic) throws(JournalError) -> UInt64 {
        try again { () throws(JournalError) in
            try self.start(of: try self.segments().first ?? self.stream.number).head(of: topic) + 1
        }
    }

    /// The numbers of the segments that are there, in order.
    package func segments() throws(JournalError) -> [UInt64] {
        let numbers = try folder.segmentNumbers() ?? []
        if let first = numbers.first {
            indexes = indexes.filter { $0.key >= first }
            starts = starts.filter { $0.key >= first }
        }
        return numbers
    }

    /// How far the numbers had been given out when the segment began.
    func start(of number: UInt64) throws(JournalError) -> JournalNumbers {
        if let known = starts[number] ?? indexes[number]?.start { return known }
        let start = try SegmentSummary(of: number, in: folder).start
        starts[number] = start
        return start
    }

    /// The index of a segment as far as it is whole now.
    func index(of number: UInt64) throws(JournalError) -> SegmentIndex {
        var index = indexes[number] ?? SegmentIndex()
        let batches = try BatchStream(folder: folder, number: number)
        batches.seek(index.end)
        var chain = index.chain ?? batches.header.chain
        while case .batch(let stored) = try batches.next() {
            guard stored.previous == chain else {
                throw folder.damaged(number, stored.batch.place.offset, "the batch does not follow the one before it")
            }
            chain = stored.chain
            index.add(stored)
        }
        if indexes.count >= Self.indexLimit, indexes[number] == nil, let oldest = indexes.keys.min() { indexes[oldest] = nil }
        indexes[number] = index
        try checkEnd(of: batches, index)
        return index
    }

    /// Checks that a segment which another one follows reaches as far as that one says.
    private func checkEnd(of batches: BatchStream, _ index: SegmentIndex) throws(JournalError) {
        let path = folder.file(batches.number + 1)
        guard try folder.perform(path, { () throws(SystemError) in try folder.files.facts(of: path) }) != nil else { return }
        let next = try folder.header(of: batches.number + 1)
        if UInt64(index.end) == next.previousLength, index.chain == next.chain { return }
        let scan = SegmentScan(try batches.wholeFile(), batches.header)
        // It may have grown since it was read.
        guard !scan.leads(to: next) else { return }
        throw folder.damaged(batches.number, scan.end, scan.fault ?? "the file ends here, the next segment was begun behind byte \(next.previousLength)")
    }
}
