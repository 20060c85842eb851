package import ReluxWire

/// Reads a journal that somebody else may be writing, in this process or another one, without a lock.
///
/// Owned by one thread. A tail that is not whole is "not yet", never an error; damage that later bytes prove is one. Any number of readers
/// may live; each keeps a small index (a few KiB) of the segments that it was asked about.
package final class JournalReader {
    package let module: ModuleID
    let folder: JournalFolder
    /// The segment that ``next(byteBudget:)`` is in.
    var stream: BatchStream
    /// The checksum that its next batch has to name; nil after a seek.
    var chain: UInt32?
    /// A tail that was looked at closely and found to be no damage.
    var trusted: (offset: Int, modified: Int64)?
    var indexes: [UInt64: SegmentIndex] = [:]
    var starts: [UInt64: JournalNumbers] = [:]

    static let indexLimit = 64

    package var directory: String { folder.path }

    /// Stands at the oldest batch that is kept.
    ///
    /// - Throws: `missing` when there is no journal (yet), `denied`, `otherFormat`, `damaged`, `foreign`, `failed`.
    package init(directory: String, module: ModuleID, environment: JournalEnvironment) throws(JournalError) {
        self.module = module
        folder = JournalFolder(path: directory, module: module, environment: environment)
        stream = try Self.oldest(folder)
        chain = stream.header.chain
    }

    /// Where ``next(byteBudget:)`` goes on.
    package var place: JournalPlace { JournalPlace(segment: stream.number, offset: stream.offset) }

    /// The incarnation of the segment that is read: another one means that the journal was deleted and began anew.
    package var incarnation: UInt64 { stream.header.incarnation }

    // MARK: Going to a place

    /// Goes to a place that a receipt, a batch or a recovery has given.
    ///
    /// - Throws: `missing` when that segment was trimmed.
    package func seek(_ place: JournalPlace) throws(JournalError) {
        if place.segment != stream.number { stream = try BatchStream(folder: folder, number: place.segment) }
        stream.seek(place.offset)
        chain = place.offset <= JournalFormat.headerByteCount ? stream.header.chain : nil
    }

    /// Goes to the oldest batch that is kept.
    package func seekToStart() throws(JournalError) {
        stream = try Self.oldest(folder)
        chain = stream.header.chain
    }

    /// Goes behind the last batch that is whole now.
    package func seekToEnd() throws(JournalError) {
        try again { () throws(JournalError) in
            let last = try self.segments().last ?? self.stream.number
            try self.seek(JournalPlace(segment: last, offset: try self.index(of: last).end))
        }
    }

    /// Goes to the batch that holds the first record of the topic at or behind the sequence.
    ///
    /// - Returns: false when there is none yet: the reader stands at the end then.
    package func seek(_ topic: Topic, sequence: UInt64) throws(JournalError) -> Bool {
        try seek(
            isBefore: { $0.head(of: topic) < sequence }, step: { $0.offset(of: topic, sequence: sequence) },
            isFound: { $0.topic == topic && $0.sequences.map { $0.upperBound >= sequence } ?? false })
    }

    /// Goes to the batch that holds the first effect at or behind the position.
    ///
    /// - Returns: false when there is none yet: the reader stands at the end then.
    package func seek(position: UInt64) throws(JournalError) -> Bool {
        try seek(
            isBefore: { $0.position < position }, step: { $0.offset(position: position) },
            isFound: { $0.positions.map { $0.upperBound >= position } ?? false })
    }

    private func seek(
        isBefore: (JournalNumbers) -> Bool, step: (SegmentIndex) -> Int?, isFound: (JournalRun) -> Bool
    ) throws(JournalError) -> Bool {
        try again { () throws(JournalError) in
            let segments = try self.segments()
            var first = 0
            for (index, number) in segments.enumerated() where index > 0 {
                guard isBefore(try self.start(of: number)) else { break }
                first = index
            }
            for number in segments[first...] {
                let index = try self.index(of: number)
                guard let offset = step(index) else { continue }
                try self.seek(JournalPlace(segment: number, offset: offset))
                while self.stream.offset < index.end, case .batch(let stored) = try self.stream.next() {
                    guard stored.batch.runs.contains(where: isFound) else { continue }
                    try self.seek(stored.batch.place)
                    return true
                }
            }
            try self.seekToEnd()
            return false
        }
    }

    /// Opens the oldest segment; it may be trimmed at the very moment.
    private static func oldest(_ folder: JournalFolder) throws(JournalError) -> BatchStream {
        var last: JournalError?
        for _ in 0..<8 {
            guard let number = try folder.segmentNumbers()?.first else {
                throw JournalError(
                    .missing, file: folder.path, "there is no journal of \(folder.module)",
                    remedy: "it begins with the module's first start; see `relux journal ls` for what is there")
            }
            do { return try BatchStream(folder: folder, number: number) } catch {
                guard error.code == .missing else { throw error }
                last = error
            }
        }
        throw last ?? JournalError(.missing, file: folder.path, "its segments go as fast as they are listed", remedy: "try again")
    }

    /// Runs the body once more from the start when a segment was trimmed in between.
    func again<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        for _ in 0..<8 {
            do { return try body() } catch {
                guard error.code == .missing, try !segments().isEmpty else { throw error }
            }
        }
        return try body()
    }
}
