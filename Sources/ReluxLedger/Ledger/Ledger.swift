package import Relux

/// The state of a module by its journal: how far its streams reach, what is unsettled and by whom, what it has settled itself, what an
/// interrupted handler had said. Pure: a fold over the journal's records.
///
/// Design notes. The same fold runs in a live process, record by record as they are said, and over the files after a death; so what
/// is recovered equals what was. The courier, the audit and the CLI read journals through it too. Batches are atomic; within one the
/// runs come in the order of ``JournalOrder``.
package struct Ledger: Sendable {
    /// Something that a running handler has said.
    package struct Emission: Hashable, Sendable, Codable {
        package var position: UInt64
        package var topic: Topic
        /// The membership under which it was said.
        package var memberVersion: UInt64
        package var payload: ByteString
        /// The answers of the recipients so far.
        package var answers: [Answer] = []
    }

    package struct Answer: Hashable, Sendable, Codable {
        package var recipient: ModuleID
        package var status: SettledRecord.Status
        package var result: ByteString
    }

    /// An effect that a handler of the module runs, as far as the journal knows.
    package struct Cause: Hashable, Sendable, Codable {
        package var emissions: [Emission] = []
        package var kept: [String: ByteString] = [:]
    }

    /// Totals of one stream for one recipient; what is neither settled nor otherwise ended is in flight or parked.
    package struct Book: Hashable, Sendable, Codable {
        package var accepted: UInt64 = 0
        package var succeeded: UInt64 = 0
        package var failed: UInt64 = 0
        package var lost: UInt64 = 0
        package var refused: UInt64 = 0
        package var deadLettered: UInt64 = 0

        package init() {}
        package var ended: UInt64 { succeeded + failed + lost + refused + deadLettered }
        package var open: UInt64 { accepted - ended }
    }

    /// Something that came in through the ingress.
    package struct Request: Hashable, Sendable, Codable {
        package var request: String
        /// The effect's place in its stream.
        var topic: Topic
        var sequence: UInt64
        /// Recipients that are known to be absent are waited for too.
        package var isForEveryone: Bool
        package var answers: [Answer] = []
        /// The bytes of its answers before they were forgotten; nil while they are kept.
        package var forgottenBytes: Int?

        var byteCount: Int { answers.reduce(0) { $0 + $1.result.bytes.count } }

        init(_ record: RequestRecord) {
            (request, isForEveryone) = (record.request, record.isForEveryone)
            (topic, sequence) = (record.topic, record.sequence)
        }
    }

    package let module: ModuleID
    /// The last life that the journal was opened for.
    package internal(set) var epoch = Epoch(0)
    /// Numbers of the module's own streams that were given out and are not in the journal: an older copy of it came back.
    package internal(set) var forgotten: [Topic: SequenceSet] = [:]
    /// The part of `forgotten` that was told by a life which ended as it should: it stays in the books and is no news any more.
    var told: [Topic: SequenceSet] = [:]
    /// The streams that settle the module's own effects.
    let settlements: Topic
    /// The last position that was given out.
    package internal(set) var position: UInt64 = 0
    /// The module's own streams: effects, and settlements by publisher.
    package internal(set) var streams: [Topic: OutboundStream] = [:]
    /// By position: the effect whose running handler has said it. The reverse of all that is in `causes`.
    var origins: [UInt64: EffectID] = [:]
    /// The sequences that are done in the streams that the module hears: effects settled, settlements taken.
    package internal(set) var cursors: [StreamID: SequenceSet] = [:]
    /// The parts of `cursors` in which a life of the publisher was left behind for a later one: nothing in them was heard.
    var passages: [StreamID: SequenceSet] = [:]
    package internal(set) var causes: [EffectID: Cause] = [:]
    package internal(set) var states: [String: StateRecord] = [:]
    /// Where each schedule stands, by its name.
    package internal(set) var schedules: [String: ScheduleRecord] = [:]
    /// The last snapshots of the module, by the stream's topic.
    package internal(set) var snapshots: [Topic: SnapshotRecord] = [:]
    package internal(set) var attempts: [EffectID: AttemptRecord] = [:]
    package internal(set) var dead: [EffectID: DeadRecord] = [:]
    package internal(set) var requests = RequestBook()
    /// Dispatches of the module that were not accepted, by reason; in no other book.
    package internal(set) var refusals: [String: UInt64] = [:]
    /// How many reasons are told apart; the platform has fewer.
    static let reasonLimit = 32

    package init(_ module: ModuleID, position: UInt64 = 0) {
        self.module = module
        settlements = .settlements(of: module)
        self.position = position
    }

    /// Somebody has not settled the request's effect.
    func isPending(_ request: Request) -> Bool { Self.isPending(request, in: streams) }

    static func isPending(_ request: Request, in streams: [Topic: OutboundStream]) -> Bool {
        streams[request.topic]?.isPending(request.sequence) ?? false
    }

    /// Effects that were being handled before that membership are not handled again.
    package mutating func forgetCauses(before version: UInt64) {
        for (cause, entry) in causes where entry.emissions.contains(where: { $0.memberVersion < version }) {
            for emission in entry.emissions { origins[emission.position] = nil }
            causes[cause] = nil
        }
    }

    /// The number of the module's effects that have ended as lost, by recipient.
    package var lost: [ModuleID: UInt64] {
        streams.values.reduce(into: [:]) { lost, stream in
            for (recipient, book) in stream.books.all where book.lost > 0 { lost[recipient, default: 0] &+= book.lost }
        }
    }

    /// Nobody needs what the module has said any more.
    package var isSettled: Bool { streams.values.allSatisfy(\.isSettled) }

    /// How the effects of each stream have ended, for those on which something was said.
    package var books: [Topic: [ModuleID: Book]] { streams.mapValues(\.books.all).filter { !$0.value.isEmpty } }

    /// Whether just these have to settle what is said on the topic now.
    package mutating func says(on topic: Topic, to recipients: Recipients) -> Bool {
        guard let place = streams.index(forKey: topic) else { return false }
        // In place: what is read of a dictionary's value is read of a copy.
        return streams.values[place].isSaid(to: recipients)
    }

    /// Those who have to settle what is said on the topic now.
    package func recipients(of topic: Topic) -> [ModuleID] { streams[topic]?.member?.recipients ?? [] }

    /// Something that it has said and that is unsettled has to survive the loss of power.
    package var owesMachine: Bool { streams.contains { !$0.key.isReserved && $0.value.holdsMachine } }

    /// The same, or somebody may still hear that it has settled such a thing.
    package var holdsMachine: Bool { streams.values.contains(where: \.holdsMachine) }

    /// The head of the module's own stream; `start` for a stream on which nothing was said yet.
    package func head(of topic: Topic, start: UInt64) -> UInt64 { streams[topic]?.head ?? start }

    /// The place before the first record of that stream that waits for the recipient; the head when none does, nil when nothing was said on it.
    package func start(of topic: Topic, for recipient: ModuleID) -> UInt64? {
        guard let stream = streams[topic] else { return nil }
        return stream.starts()[recipient] ?? stream.head
    }

    /// The module has settled that effect, or never has to.
    package func isDone(_ sequence: UInt64, of stream: StreamID) -> Bool { cursors[stream]?.contains(sequence) ?? false }
}

extension Ledger {
    /// The books of one stream: few recipients, mostly the same ones from one effect to the next.
    package struct Books: Sendable, Hashable {
        private struct Page: Sendable, Hashable {
            let recipient: ModuleID
            var book = Book()
        }
        private var pages: [Page] = []

        init() {}

        init(_ books: [ModuleID: Book]) { pages = books.sorted { $0.key < $1.key }.map { Page(recipient: $0.key, book: $0.value) } }

        package var all: [ModuleID: Book] { Dictionary(pages.map { ($0.recipient, $0.book) }, uniquingKeysWith: { first, _ in first }) }

        mutating func accept(for recipients: Recipients) {
            for index in recipients.indices { pages[place(of: recipients[index], near: index)].book.accepted += 1 }
        }

        mutating func count(_ status: SettledRecord.Status, _ count: Int, for recipient: ModuleID) {
            pages[place(of: recipient, near: 0)].book.count(status, count)
        }

        private mutating func place(of recipient: ModuleID, near index: Int) -> Int {
            if index < pages.count, pages[index].recipient == recipient { return index }
            if let known = pages.firstIndex(where: { $0.recipient == recipient }) { return known }
            pages.append(Page(recipient: recipient))
            return pages.count - 1
        }
    }
}

extension Ledger.Book {
    /// More that have ended so. No key path: reaching through one costs more than all the rest of a settlement's book-keeping.
    fileprivate mutating func count(_ status: SettledRecord.Status, _ count: Int) {
        let count = UInt64(count)
        switch status {
        case .succeeded: succeeded += count
        case .failed: failed += count
        case .lost: lost += count
        case .refused: refused += count
        case .deadLettered: deadLettered += count
        }
    }
}
