import Relux

extension Audit {
    /// The checks, one publisher or recipient after the other.
    struct Judge {
        let first: AuditLook
        let second: AuditLook
        let places: [ModuleID: Place]?
        var rows: [Row] = []
        var findings: [Finding] = []
        /// The sequences that were unacknowledged at the first look, by recipient.
        private let unacknowledged: [ModuleID: [StreamID: SequenceSet]]

        init(first: AuditLook, second: AuditLook, places: [ModuleID: Place]?) {
            self.first = first
            self.second = second
            self.places = places
            unacknowledged = first.journals.mapValues(\.unacknowledged)
        }

        // MARK: What a publisher says

        mutating func judge(_ publisher: ModuleID) {
            guard let ledger = second.journals[publisher]?.ledger else { return }
            let (books, firstBooks) = (ledger.books, first.journals[publisher]?.ledger.books ?? [:])
            let topics = Set(books.keys).union(ledger.streams.keys.filter { !$0.isReserved })
            for topic in topics.sorted() {
                var waiting: [ModuleID: SequenceSet] = [:]
                for entry in ledger.streams[topic]?.pending ?? [] {
                    for recipient in entry.outstanding { waiting[recipient, default: SequenceSet()].insert(entry.sequence) }
                }
                for recipient in Set(books[topic, default: [:]].keys).union(waiting.keys).sorted() {
                    let key = Key(publisher: publisher, topic: topic, recipient: recipient)
                    judge(key, books[topic]?[recipient] ?? Ledger.Book(), waiting[recipient] ?? SequenceSet())
                    judgeLetters(key, given: firstBooks[topic]?[recipient]?.deadLettered ?? 0)
                }
            }
            judgeAcknowledged(by: publisher)
        }

        private mutating func judge(_ key: Key, _ book: Ledger.Book, _ waiting: SequenceSet) {
            let stream = StreamID(publisher: key.publisher, topic: key.topic)
            let unanswered = unanswered(waiting, key, stream)
            let open = waiting.subtracting(second.journals[key.recipient]?.ledger.cursors[stream] ?? SequenceSet())
                .subtracting(unanswered)
            var row = Row(key: key)
            row.accepted = book.accepted
            row.succeeded = book.succeeded
            row.failed = book.failed
            row.deadLettered = book.deadLettered
            row.refused = book.refused
            row.lost = book.lost
            row.open = open.count
            row.unacknowledged = waiting.count - open.count - unanswered.count
            row.place = places?[key.recipient]
            rows.append(row)

            let ended = book.succeeded &+ book.failed &+ book.lost &+ book.refused &+ book.deadLettered
            let booked = ended &+ waiting.count
            if booked != book.accepted {
                note(
                    .unaccounted, key, booked < book.accepted ? book.accepted - booked : booked - book.accepted, nil,
                    "accepted \(book.accepted), ended \(ended), waiting \(waiting.count)")
            }
            note(.unanswered, key, unanswered)
            // Its publisher, while it runs, books what waits for no member as lost.
            if let places, row.open > 0, places[key.recipient] == nil, places[key.publisher] == .running {
                note(.stranded, key, open)
            }
        }

        /// Effects that wait for a recipient that is through with them, and has no settlement of them left to say.
        private func unanswered(_ waiting: SequenceSet, _ key: Key, _ stream: StreamID) -> SequenceSet {
            guard let done = first.journals[key.recipient]?.ledger.cursors[stream] else { return SequenceSet() }
            // A publisher without a process takes its word when it runs again.
            if let places, places[key.publisher] != .running { return SequenceSet() }
            let said = unacknowledged[key.recipient]?[stream] ?? SequenceSet()
            return waiting.subtracting(waiting.subtracting(done)).subtracting(said)
        }

        /// - Parameter given: letters that the publisher had booked at the first look.
        private mutating func judgeLetters(_ key: Key, given: UInt64) {
            guard given > 0, let letters = second.journals[key.recipient]?.ledger.dead.values else { return }
            let count = UInt64(letters.count { $0.effect.module == key.publisher && $0.topic == key.topic })
            if count < given { note(.letterless, key, given - count, nil, "given up \(given), letters \(count)") }
        }

        /// Checks the effects that the publisher had written down as settled before the second look: their recipient had written that earlier.
        private mutating func judgeAcknowledged(by publisher: ModuleID) {
            guard let journal = first.journals[publisher] else { return }
            for (topic, recipients) in journal.acknowledged {
                for (recipient, sequences) in recipients {
                    let key = Key(publisher: publisher, topic: topic, recipient: recipient)
                    if let settler = second.journals[recipient] {
                        let stream = StreamID(publisher: publisher, topic: topic)
                        note(.unsettled, key, sequences.subtracting(settler.ledger.cursors[stream] ?? SequenceSet()))
                    } else if places?[recipient] != nil, second.unreadable[recipient] == nil {
                        note(.unsettled, key, sequences, "\(recipient) has no journal")
                    }
                }
            }
            for (stream, taken) in journal.ledger.cursors where stream.topic == .settlements(of: publisher) {
                guard let last = taken.ranges.last?.upperBound,
                    let head = second.journals[stream.publisher]?.ledger.streams[stream.topic]?.head, last > head
                else { continue }
                let key = Key(publisher: publisher, topic: stream.topic, recipient: stream.publisher)
                note(.unsaid, key, last - head, head + 1, "taken up to \(last), said up to \(head)")
            }
        }

        // MARK: What a recipient says

        /// Checks the effects that a recipient was through with before the second look: their publisher had accepted them earlier.
        mutating func judgeCursors(of recipient: ModuleID) {
            guard let ledger = first.journals[recipient]?.ledger else { return }
            for (stream, done) in ledger.cursors where !stream.topic.isReserved {
                guard let last = done.ranges.last?.upperBound,
                    let head = second.journals[stream.publisher]?.ledger.streams[stream.topic]?.head, last > head
                else { continue }
                let key = Key(publisher: stream.publisher, topic: stream.topic, recipient: recipient)
                note(.unknown, key, last - head, head + 1, "handled up to \(last), accepted up to \(head)")
            }
        }

        private mutating func note(_ kind: Finding.Kind, _ key: Key, _ sequences: SequenceSet, _ detail: String = "") {
            guard let range = sequences.ranges.first else { return }
            note(kind, key, sequences.count, range.lowerBound, detail)
        }

        private mutating func note(_ kind: Finding.Kind, _ key: Key, _ count: UInt64, _ first: UInt64?, _ detail: String) {
            findings.append(Finding(kind: kind, key: key, count: count, first: first, detail: detail))
        }
    }
}
