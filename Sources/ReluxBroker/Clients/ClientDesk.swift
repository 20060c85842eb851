import ReluxRegistry
import ReluxWire

/// What clients may take of the broker's memory and time. Pure: the caller reads and writes sockets.
///
/// Design notes. Messages of clients wait here, not coded out, until their turn: clients take turns, and a turn is measured in bytes, so that one
/// who says much waits for himself. Answers that find no room in a client's pipe wait here too. Both have budgets, of one client and of
/// all. Whoever leaves too much unread is not looked at until he reads: what he asks meanwhile is dropped, counted, and told to him in one
/// refusal as soon as there is room. When all of them together have too much here, the one who has the most loses his latest message.
struct ClientDesk: Sendable {
    struct Limits: Sendable {
        /// Messages of one client that wait for their turn, in bytes.
        var askedBytes = 4 << 20
        /// The same of all clients.
        var askedBytesInAll = 32 << 20
        /// Answers that wait for one client to read.
        var unreadBytes = 1 << 20
        /// The same for all clients.
        var unreadBytesInAll = 32 << 20
        /// The bytes of one client that are looked at before the others have their turn.
        var roundBytes = 1 << 20
        /// Clients with something here.
        var clients = 4096
        init() {}
    }

    /// Since the broker's start.
    struct Counters: Sendable, Hashable {
        /// Messages that were dropped because their sender had too many waiting, or all had.
        var unheard: UInt64 = 0
        /// Messages that were dropped because their sender left answers unread.
        var unread: UInt64 = 0
        /// Answers that were dropped because nobody read them.
        var unanswered: UInt64 = 0
        /// Clients that were not served because there were too many.
        var crowded: UInt64 = 0
        init() {}
    }

    private struct Client: Sendable {
        var asked: [[UInt8]] = []
        /// The index of the first message in `asked` that waits.
        var next = 0
        var askedBytes = 0
        /// How many bytes its next turn may have.
        var credit = 0
        var unread: [[UInt8]] = []
        var unreadBytes = 0
        /// Messages of its that were dropped since it was told so last.
        var dropped: UInt64 = 0
        /// It had answers unread when they were.
        var droppedUnread = false

        var waits: Bool { next < asked.count }
        var isIdle: Bool { !waits && unread.isEmpty && dropped == 0 }
    }

    /// What a message costs besides its bytes: the work on the smallest.
    static let overhead = 16 << 10
    /// What a client may have looked at before the next one's turn.
    private static let turn = 64 << 10

    private(set) var counters = Counters()
    private let limits: Limits
    private var clients: [ConnectionID: Client] = [:]
    /// Those with messages that wait, in the order of their turns.
    private var turns: [ConnectionID] = []
    /// Those with answers that wait, or with a refusal to be told.
    private var readers: [ConnectionID] = []
    private(set) var askedBytes = 0
    private(set) var unreadBytes = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Messages wait for their turn.
    var hasAsked: Bool { !turns.isEmpty }
    /// Answers wait for their clients.
    var hasUnread: Bool { !readers.isEmpty }
    /// Clients with something here.
    var count: Int { clients.count }

    // MARK: In

    /// A message has come. It waits for its turn, or is dropped.
    mutating func arrived(_ message: [UInt8], from id: ConnectionID) {
        var client = clients[id] ?? Client()
        guard clients[id] != nil || clients.count < limits.clients else {
            counters.crowded += 1
            return
        }
        defer { clients[id] = client.isIdle ? nil : client }
        if client.unreadBytes >= limits.unreadBytes || !client.unread.isEmpty && unreadBytes >= limits.unreadBytesInAll {
            counters.unread += 1
            return drop(&client, id, isUnread: true)
        }
        guard !client.waits || client.askedBytes + message.count <= limits.askedBytes else {
            counters.unheard += 1
            return drop(&client, id, isUnread: false)
        }
        if !client.waits { turns.append(id) }
        client.asked.append(message)
        client.askedBytes += message.count
        askedBytes += message.count
        clients[id] = client
        while askedBytes > limits.askedBytesInAll, dropLatestOfGreatest() {}
        client = clients[id] ?? Client()
    }

    private mutating func drop(_ client: inout Client, _ id: ConnectionID, isUnread: Bool) {
        if client.dropped == 0, client.unread.isEmpty { readers.append(id) }
        client.dropped += 1
        client.droppedUnread = isUnread
    }

    /// False when there is no more than one message here.
    private mutating func dropLatestOfGreatest() -> Bool {
        guard let (id, found) = clients.max(by: { $0.value.askedBytes < $1.value.askedBytes }), found.waits else { return false }
        var client = found
        if client.next + 1 == client.asked.count {
            guard turns.count > 1 else { return false }
            turns.removeAll { $0 == id }
        }
        let count = client.asked.removeLast().count
        client.askedBytes -= count
        askedBytes -= count
        counters.unheard += 1
        drop(&client, id, isUnread: false)
        clients[id] = client
        return true
    }

    /// The messages of one round of turns, the oldest message of each client first; at least one if any waits.
    mutating func round() -> [(client: ConnectionID, message: [UInt8])] {
        var taken: [(client: ConnectionID, message: [UInt8])] = []
        var left = limits.roundBytes
        var first = 0
        while left > 0, first < turns.count {
            let id = turns[first]
            first += 1
            guard var client = clients[id] else { continue }
            client.credit += Self.turn
            while left > 0, client.waits, client.asked[client.next].count + Self.overhead <= client.credit {
                let message = client.asked[client.next]
                client.asked[client.next] = []
                client.next += 1
                client.askedBytes -= message.count
                askedBytes -= message.count
                client.credit -= message.count + Self.overhead
                left -= message.count + Self.overhead
                taken.append((id, message))
            }
            if client.waits {
                if client.next > 64 {
                    client.asked.removeFirst(client.next)
                    client.next = 0
                }
                turns.append(id)
            } else {
                (client.asked, client.next, client.credit) = ([], 0, 0)
            }
            clients[id] = client.isIdle ? nil : client
        }
        turns.removeFirst(first)
        return taken
    }

    // MARK: Out

    /// Whether an answer has to wait behind others of the same client.
    func isBehind(_ id: ConnectionID) -> Bool { clients[id]?.unread.isEmpty == false }

    /// An answer that found no room waits until its client reads, or is dropped and the client is told so later.
    mutating func keep(_ answer: [UInt8], for id: ConnectionID) {
        var client = clients[id] ?? Client()
        let isFull = client.unreadBytes >= limits.unreadBytes || unreadBytes + answer.count > limits.unreadBytesInAll
        guard clients[id] != nil || clients.count < limits.clients else {
            counters.unanswered += 1
            return
        }
        guard !isFull else {
            // The client asked this before it was full. It gets the same answer as for later questions.
            counters.unanswered += 1
            drop(&client, id, isUnread: true)
            clients[id] = client
            return
        }
        if client.unread.isEmpty, client.dropped == 0 { readers.append(id) }
        client.unread.append(answer)
        client.unreadBytes += answer.count
        unreadBytes += answer.count
        clients[id] = client
    }

    /// Gives every client that waits its answers, as far as there is room, and then the refusal for what was dropped meanwhile.
    ///
    /// - Parameters:
    ///   - refusal: the coded refusal for `dropped` messages.
    ///   - send: false when there is no room; nil when the client is gone.
    mutating func flush(
        refusal: (_ dropped: UInt64, _ isUnread: Bool) -> [UInt8], send: (ConnectionID, [UInt8]) -> Bool?
    ) {
        let waiting = readers
        readers = []
        for id in waiting {
            guard var client = clients[id] else { continue }
            if !Self.flush(id, &client, refusal: refusal, send: send, given: &unreadBytes) { readers.append(id) }
            clients[id] = client.isIdle ? nil : client
        }
    }

    /// True when nothing is left to say.
    private static func flush(
        _ id: ConnectionID, _ client: inout Client, refusal: (_ dropped: UInt64, _ isUnread: Bool) -> [UInt8],
        send: (ConnectionID, [UInt8]) -> Bool?, given unreadBytes: inout Int
    ) -> Bool {
        var sent = 0
        for answer in client.unread {
            guard let isSent = send(id, answer) else {
                unreadBytes -= client.unreadBytes
                (client.unread, client.unreadBytes, client.dropped) = ([], 0, 0)
                return true
            }
            guard isSent else { break }
            client.unreadBytes -= answer.count
            unreadBytes -= answer.count
            sent += 1
        }
        client.unread.removeFirst(sent)
        guard client.unread.isEmpty else { return false }
        guard client.dropped > 0 else { return true }
        guard send(id, refusal(client.dropped, client.droppedUnread)) != false else { return false }
        client.dropped = 0
        return true
    }
}

extension ClientDesk {
    /// What a client is told whose messages were dropped.
    func refusal(_ dropped: UInt64, isUnread: Bool) -> Refusal {
        let what = "\(dropped) messages of this client were not looked at or not answered: "
        if isUnread {
            return Refusal(
                .tooMuchUnread,
                what + "it had left \(limits.unreadBytes) bytes of answers unread, or all clients \(limits.unreadBytesInAll), the limits; read, and"
                    + " ask again",
                passes: "unread answers")
        }
        return Refusal(
            .tooMuchAsked,
            what + "\(limits.askedBytes) bytes of its messages were waiting already, or \(limits.askedBytesInAll) of all clients, the limits; wait for"
                + " answers, and ask again",
            passes: "answers to what was asked")
    }
}

extension ClientDesk.Counters {
    /// What clients have missed, a line each; empty when nothing.
    var notes: [String] {
        [
            (unread, "messages of clients were not looked at, because their senders leave answers unread"),
            (unheard, "messages of clients were not looked at, because too much was waiting"),
            (unanswered, "answers were dropped, because their clients leave answers unread"),
            (crowded, "messages came from more clients than are served at once and were not looked at"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }
}
