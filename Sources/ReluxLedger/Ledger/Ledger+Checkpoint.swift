package import Relux

extension Ledger {
    /// All of a ledger but the records that wait for settlements: they are in the journal, and are read from there again.
    struct Checkpoint: Codable, Sendable {
        struct Stream: Codable, Sendable {
            var head: UInt64
            /// Absent when there is nothing.
            var unsaid: SequenceSet?
            var pending: [Pending]
        }
        /// Neighbours that wait for the same recipients.
        struct Pending: Codable, Sendable {
            /// The first sequence, and how many more there are.
            var first: UInt64
            var following: UInt64
            var outstanding: [ModuleID]

            init(_ sequences: ClosedRange<UInt64>, _ outstanding: [ModuleID]) {
                first = sequences.lowerBound
                following = sequences.upperBound - sequences.lowerBound
                self.outstanding = outstanding
            }

            /// - Throws: `malformed` when the range has no end.
            func sequences() throws(WireError) -> ClosedRange<UInt64> {
                let (last, overflow) = first.addingReportingOverflow(following)
                guard !overflow else { throw WireError(.malformed, "a checkpoint names sequences from \(first) on that end past 2^64 - 1") }
                return first...last
            }
        }
        struct Cursor: Codable, Sendable {
            var publisher: ModuleID
            var topic: Topic
            var done: SequenceSet
            /// Absent when there is nothing.
            var passages: SequenceSet?
        }
        struct Open: Codable, Sendable {
            var effect: EffectID
            var cause: Cause
        }

        var position: UInt64
        var streams: [String: Stream] = [:]
        var recipients: [String: ByteString] = [:]
        var cursors: [Cursor] = []
        var causes: [Open] = []
        /// STATE, ATTEMPT, DEAD, SCHEDULE and GONE as in the journal.
        var records: [ByteString] = []
        var books: [String: [ModuleID: Book]] = [:]
        var requests: [UInt64: Request] = [:]
        var snapshots: [String: ByteString] = [:]
        var refusals: [String: UInt64] = [:]
    }

    /// The image that recovery starts from instead of the journal's beginning.
    ///
    /// - Returns: nil when it is too large to be one; the last one stands then.
    package func checkpoint() -> [UInt8]? {
        var image = Checkpoint(position: position)
        for (topic, stream) in streams {
            if let member = stream.member {
                image.recipients[topic.rawValue] = (try? WireRecord.member(member).encoded()).map { ByteString($0) }
            }
            let books = stream.books.all
            if !books.isEmpty { image.books[topic.rawValue] = books }
            image.streams[topic.rawValue] = Checkpoint.Stream(
                head: stream.last, unsaid: stream.unsaid.isEmpty ? nil : stream.unsaid,
                pending: stream.pendingRuns.map { .init($0.sequences, $0.outstanding) })
        }
        // Each of these was encoded when it was written.
        image.cursors = cursors.map { .init(publisher: $0.key.publisher, topic: $0.key.topic, done: $0.value, passages: passages[$0.key]) }
        image.causes = causes.map { .init(effect: $0.key, cause: $0.value) }
        let gone = forgotten.flatMap { topic, sequences in sequences.ranges.map { WireRecord.gone(GoneRecord(topic: topic, range: $0)) } }
        let records =
            states.values.map(WireRecord.state) + attempts.values.map(WireRecord.attempt) + dead.values.map(WireRecord.dead)
            + schedules.values.filter { !$0.isRemoved }.map(WireRecord.schedule) + gone
        image.records = records.compactMap { try? $0.encoded() }.map { ByteString($0) }
        image.requests = requests.all
        let shown = snapshots.compactMap { topic, snapshot in
            (try? WireRecord.snapshot(snapshot).encoded()).map { (topic.rawValue, ByteString($0)) }
        }
        image.snapshots = Dictionary(shown, uniquingKeysWith: { first, _ in first })
        image.refusals = refusals
        return try? CBOR.encode(image)
    }

    /// The ledger of a checkpoint, and what of the journal has to be read again: give it to ``refill(_:_:_:)``.
    ///
    /// - Throws: when the bytes are no checkpoint of this build.
    init(_ module: ModuleID, checkpoint: [UInt8]) throws {
        let image = try CBOR.decode(Checkpoint.self, from: checkpoint)
        self.init(module, position: image.position)
        for (topic, bytes) in image.recipients {
            guard case .member(let member)? = try WireRecord.decode(bytes.bytes) else { continue }
            streams[try Topic(topic), default: OutboundStream()].member = member
        }
        for (topic, bytes) in image.snapshots {
            guard case .snapshot(let snapshot)? = try WireRecord.decode(bytes.bytes) else { continue }
            snapshots[try Topic(topic)] = snapshot
        }
        for cursor in image.cursors {
            let stream = StreamID(publisher: cursor.publisher, topic: cursor.topic)
            cursors[stream] = cursor.done
            passages[stream] = cursor.passages
        }
        causes = Dictionary(image.causes.map { ($0.effect, $0.cause) }, uniquingKeysWith: { first, _ in first })
        for (effect, cause) in causes { for emission in cause.emissions { origins[emission.position] = effect } }
        for bytes in image.records {
            guard let record = try WireRecord.decode(bytes.bytes) else { continue }
            apply(StateRecord.topic, record)
        }
        for (topic, books) in image.books { streams[try Topic(topic), default: OutboundStream()].books = Books(books) }
        refusals = image.refusals
        for (position, request) in image.requests.sorted(by: { $0.key < $1.key }) { requests.remember(request, at: position) }
        for (topic, stream) in image.streams where stream.pending.isEmpty {
            resume(try Topic(topic), stream)
        }
    }

    /// The ledger of a later checkpoint, with the records that this one still has. It keeps the place of what was trimmed since.
    func succeeded(by checkpoint: [UInt8]) throws -> Ledger {
        let image = try CBOR.decode(Checkpoint.self, from: checkpoint)
        var ledger = try Ledger(module, checkpoint: checkpoint)
        for (name, stream) in image.streams where !stream.pending.isEmpty {
            let topic = try Topic(name)
            let known = Dictionary((streams[topic]?.pending ?? []).map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
            for run in stream.pending {
                for sequence in try run.sequences() {
                    ledger.refill(topic, known[sequence] ?? .init(sequence: sequence, outstanding: []), run.outstanding)
                }
            }
            if let known = streams[topic] { ledger.streams[topic]?.keepRuns(of: known) }
            ledger.resume(topic, stream)
        }
        return ledger
    }

    /// Puts a record that waits for settlements back; a stream's records come in order, then their bytes (``keep(_:)``) and ``resume(_:_:)``.
    mutating func refill(_ topic: Topic, _ entry: OutboundStream.Entry, _ outstanding: [ModuleID]) {
        streams[topic, default: OutboundStream()].append(entry.waiting(for: Recipients(outstanding)))
    }

    /// All bytes of the stream are there: those of what does not wait are let go.
    mutating func thin(_ topic: Topic) { streams[topic]?.thinRuns() }

    /// Where the stream stands, whatever is still pending on it.
    mutating func resume(_ topic: Topic, _ stream: Checkpoint.Stream) {
        streams[topic, default: OutboundStream()].resume(at: stream.head, unsaid: stream.unsaid ?? SequenceSet())
    }

    /// The last sequence of the stream, whatever is still pending on it.
    mutating func close(_ topic: Topic, at head: UInt64) { streams[topic, default: OutboundStream()].rise(to: head) }

    /// Positions up to this one were given out.
    mutating func rise(to position: UInt64) { self.position = max(self.position, position) }

    /// A HOLE: what may have been given out in it never is again.
    mutating func leap(by jump: UInt64) {
        position &+= jump
        for (topic, stream) in streams { streams[topic]?.rise(to: stream.head &+ jump) }
    }

    /// For each stream, the lowest sequence that somebody may still ask for.
    package var needed: [Topic: UInt64] { streams.filter { !$0.value.isSettled }.mapValues(\.low) }
}
