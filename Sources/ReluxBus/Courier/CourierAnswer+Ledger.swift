package import Relux
package import ReluxControl
package import ReluxLedger

/// The ledger that a publisher's journal gives, and the last life that wrote the journal.
package struct CourierLedger: Sendable {
    package var ledger: Ledger
    package var epoch: Epoch

    package init(ledger: Ledger, epoch: Epoch) {
        self.ledger = ledger
        self.epoch = epoch
    }
}

extension CourierAnswer {
    /// The answer by the journals: true whenever they were read, because what stands in a journal never changes.
    ///
    /// - Parameters:
    ///   - retired: publishers with a journal that are no members; of a question about one publisher, that one if it is none.
    ///   - observed: snapshot types that the asking modules observe.
    ///   - ledger: nil when there is no journal that can be read.
    package init(
        to question: CourierQuestion, retired: [ModuleID], observed: Set<Topic> = [], ledger: (ModuleID) -> CourierLedger?
    ) {
        self.init(to: question, frames: [])
        switch question {
        case .heads(let publisher, let recipients, _): frames = ledger(publisher).map { Self.heads($0, recipients) + Self.snapshots($0, observed) } ?? []
        case .retired(let recipients, _):
            for publisher in retired { frames += ledger(publisher).map { Self.heads($0, recipients) } ?? [] }
        case .records(let publisher, let topic, let ranges, let recipient):
            guard let known = ledger(publisher) else { return }
            let fetch = FetchRecord(requester: recipient, topic: topic, ranges: ranges)
            frames = Self.frames(known.ledger.answer(fetch, epoch: known.epoch, isRetired: retired.contains(publisher)))
        }
    }

    /// One READY, of the streams only that hold something for one of the recipients.
    private static func heads(_ known: CourierLedger, _ recipients: [ModuleID]) -> [ByteString] {
        let (ledger, epoch) = (known.ledger, known.epoch)
        var streams: [ReadyRecord.Stream] = []
        for (topic, state) in ledger.streams.sorted(by: { $0.key < $1.key }) where !state.isSettled {
            let waiting = state.starts()
            let starts = recipients.sorted().compactMap { recipient in
                waiting[recipient].map { ReadyRecord.Start(recipient: recipient, after: $0) }
            }
            guard !starts.isEmpty else { continue }
            streams.append(.init(publisher: ledger.module, epoch: epoch, topic: topic, head: state.head, starts: starts))
        }
        guard !streams.isEmpty else { return [] }
        let marker = [UInt8](repeating: 0, count: ReadyRecord.markerByteCount)
        let ready = ReadyRecord(marker: marker[...], streams: streams)
        let frame = Frame(topic: "~ready", publisher: ledger.module, epoch: epoch, records: [.ready(ready)])
        return (try? frame.encoded()).map { [ByteString($0)] } ?? []
    }

    /// The last snapshots of an owner that is gone; the live value may have been a moment newer.
    private static func snapshots(_ known: CourierLedger, _ observed: Set<Topic>) -> [ByteString] {
        observed.sorted().compactMap { type in
            guard let topic = Topic.snapshots(of: type), var last = known.ledger.snapshots[topic] else { return nil }
            last.flags.insert(.stale)
            let frame = Frame(topic: topic, publisher: known.ledger.module, epoch: known.epoch, records: [.snapshot(last)])
            return (try? frame.encoded()).map { ByteString($0) }
        }
    }

    private static func frames(_ action: BusCore.Action) -> [ByteString] {
        var packer = FramePacker()
        var rest: [BusCore.Action] = []
        packer.pack([action], into: &rest)
        return packer.finish().messages.map { ByteString($0.bytes) }
    }
}

extension Ledger {
    /// Answers with the records of the ranges that the requester still has to see, in order, as far as the credit goes. Sequences that it has settled
    /// already, or never has to see, are said to be gone.
    ///
    /// - Parameters:
    ///   - start: the head of a stream that has no record yet.
    ///   - isRetired: nobody goes on with the journal. What was heard and is not in it was lost with the power, and no HOLE will say so.
    func answer(_ fetch: FetchRecord, epoch: Epoch, start: UInt64 = 0, isRetired: Bool = false) -> BusCore.Action {
        // A stream that the journal does not know may have been one of a journal that is lost.
        let state = streams[fetch.topic] ?? OutboundStream(head: start)
        var answer: [WireRecord] = [.stream(StreamRecord(topic: fetch.topic))]
        for part in state.serve(fetch.ranges, to: fetch.requester) {
            switch part {
            case .record(let record): answer.append(record)
            case .gone(let range): answer.append(.gone(GoneRecord(topic: fetch.topic, range: range)))
            }
        }
        for range in fetch.ranges where isRetired && range.upperBound > state.head {
            answer.append(.gone(GoneRecord(topic: fetch.topic, range: max(range.lowerBound, state.head + 1)...range.upperBound)))
        }
        // The end of the answer: the asker may ask for more at once.
        var head = HeadRecord(streams: [.init(topic: fetch.topic, low: state.low, head: state.head)])
        if fetch.ranges.isEmpty, fetch.topic == .settlements(of: fetch.requester) { head = word(for: fetch.requester, start: start) }
        answer.append(.head(head))
        return .replay(topic: BusCore.replay(for: fetch.requester), publisher: module, epoch, answer)
    }
}
