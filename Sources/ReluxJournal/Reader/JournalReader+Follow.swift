extension JournalReader {
    /// The batches behind ``place``, in order; empty when there is nothing yet. Goes on into new segments by itself.
    ///
    /// - Parameter byteBudget: enough is enough; one batch at least is returned when one is there.
    /// - Throws: `damaged`; `removed` when the segment was trimmed, or the journal deleted or mended, under this reader: ``seekToStart()`` or a
    ///   new reader goes on; `failed`.
    package func next(byteBudget: Int = 1 << 20) throws(JournalError) -> [JournalBatch] {
        var batches: [JournalBatch] = []
        var byteCount = 0
        stream.forget()
        while batches.isEmpty || byteCount < byteBudget {
            let offset = stream.offset
            guard case .batch(let stored) = try stream.next() else {
                guard batches.isEmpty, try advance() else { break }
                continue
            }
            guard chain == nil || stored.previous == chain else {
                stream.seek(offset)
                throw folder.damaged(stream.number, offset, "the batch does not follow the one before it")
            }
            chain = stored.chain
            batches.append(stored.batch)
            byteCount += stored.batch.byteCount
        }
        return batches
    }

    /// The next batches up to an end that was taken before; nil behind it. So a reader comes to its end also under a writer that is faster.
    ///
    /// - Parameter end: of ``end()``. The last batches may lie behind it.
    /// - Throws: as ``next(byteBudget:)``.
    package func next(before end: JournalPlace) throws(JournalError) -> [JournalBatch]? {
        guard place < end else { return nil }
        let batches = try next()
        return batches.isEmpty ? nil : batches
    }

    /// The end of the last segment's file now: no batch that is written lies behind it.
    package func end() throws(JournalError) -> JournalPlace {
        let number = try max(segments().last ?? 0, stream.number)
        let path = folder.file(number)
        let facts = try folder.perform(path) { () throws(SystemError) in try folder.files.facts(of: path) }
        // A segment that is not there has nothing to read.
        return JournalPlace(segment: number, offset: facts?.byteCount ?? 0)
    }

    /// At the end of what is whole: into the next segment, or not yet.
    ///
    /// - Returns: whether there may be more to read.
    private func advance() throws(JournalError) -> Bool {
        let offset = stream.offset
        if try exists(stream.number + 1) {
            let next = try BatchStream(folder: folder, number: stream.number + 1)
            // Batches that were written before the next segment began are whole now.
            stream.forget()
            if case .batch = try stream.next() {
                stream.seek(offset)
                return true
            }
            try check(isLeadingTo: next.header, offset)
            stream = next
            chain = next.header.chain
            return true
        }
        let facts = try stream.facts()
        let path = stream.path
        let there = try folder.perform(path) { () throws(SystemError) in try folder.files.facts(of: path) }
        guard facts.links > 0, there?.identity == facts.identity else {
            throw JournalError(
                .removed, file: path, "the segment was removed under this reader", remedy: "read on from the oldest that is kept, or open it again")
        }
        try doubt(facts)
        return false
    }

    private func exists(_ number: UInt64) throws(JournalError) -> Bool {
        let path = folder.file(number)
        return try folder.perform(path) { () throws(SystemError) in try folder.files.facts(of: path) } != nil
    }

    /// - Throws: the first damage of the segment.
    private func check(isLeadingTo next: SegmentHeader, _ offset: Int) throws(JournalError) {
        if UInt64(offset) == next.previousLength, chain == nil || chain == next.chain { return }
        let scan = SegmentScan(try stream.wholeFile(), stream.header)
        guard scan.end == offset, scan.leads(to: next) else {
            throw folder.damaged(
                stream.number, scan.end, scan.fault ?? "the segment ends here, the next one was begun behind byte \(next.previousLength)")
        }
    }

    /// A tail that is not whole is looked at once for each time that the file has changed: what lies behind it may prove that it is damage.
    /// A reader may see the end of a write before its start, so that only what is wrong at the second look counts.
    private func doubt(_ facts: FileFacts) throws(JournalError) {
        let offset = stream.offset
        if let trusted, trusted.offset == offset, trusted.modified == facts.modified { return }
        let isSameBoot = stream.header.bootID == folder.environment.bootID
        for look in 1...2 {
            let scan = SegmentScan(try stream.wholeFile(), stream.header)
            guard case .damaged(let reason) = scan.tail(sameBoot: isSameBoot, isHeld: false), scan.end == offset else { break }
            if look == 2 { throw folder.damaged(stream.number, scan.end, reason) }
        }
        trusted = (offset, facts.modified)
    }
}
