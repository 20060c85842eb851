import ReluxWire
import Testing

@testable import ReluxBroker
@testable import ReluxRegistry

@Suite struct ClientDeskTests {
    private func desk(_ change: (inout ClientDesk.Limits) -> Void) -> ClientDesk {
        var limits = ClientDesk.Limits()
        change(&limits)
        return ClientDesk(limits)
    }

    private func client(_ number: UInt8) -> ConnectionID { ConnectionID(ByteString([number])) }
    private func message(_ count: Int, _ mark: UInt8 = 0) -> [UInt8] { [UInt8](repeating: mark, count: count) }

    private func round(_ desk: inout ClientDesk) -> [(client: ConnectionID, message: [UInt8])] { desk.round() }

    private func flush(_ desk: inout ClientDesk, room: inout Int) -> [(client: ConnectionID, bytes: [UInt8])] {
        var sent: [(client: ConnectionID, bytes: [UInt8])] = []
        desk.flush(refusal: { dropped, isUnread in [UInt8(dropped), isUnread ? 1 : 0] }) { client, bytes in
            guard room > 0 else { return false }
            room -= 1
            sent.append((client, bytes))
            return true
        }
        return sent
    }

    @Test func `whoever says much waits for himself: the short question of another comes in the first round`() {
        var desk = ClientDesk()
        for _ in 0..<3 { desk.arrived(message(1_300_000), from: client(1)) }
        desk.arrived(message(10), from: client(2))
        #expect(round(&desk).contains { $0.client == client(2) })
        var rest = 0
        while desk.hasAsked { rest += desk.round().count }
        #expect(rest <= 3 && desk.askedBytes == 0 && desk.count == 0)
    }

    @Test func `many short questions of one are spread over rounds, each with everybody else's, in the order of each`() {
        var desk = ClientDesk()
        for number in 0..<200 { desk.arrived([UInt8(number)], from: client(1)) }
        var heard: [UInt8] = []
        for _ in 0..<3 {
            desk.arrived([1], from: client(2))
            let round = desk.round()
            #expect(round.contains { $0.client == client(2) })
            #expect(round.count < 100)
            heard += round.filter { $0.client == client(1) }.map { $0.message[0] }
        }
        while desk.hasAsked { heard += desk.round().map { $0.message[0] } }
        #expect(heard == (0..<200).map { UInt8($0) })
    }

    @Test func `an answer that is dropped is told, also to a client that had asked for all before anything was unread`() {
        var desk = desk { $0.unreadBytes = 2000 }
        for mark in UInt8(1)...5 { desk.keep(message(1000, mark), for: client(1)) }
        #expect(desk.counters.unanswered == 3 && desk.counters.unread == 0)
        var room = 10
        #expect(flush(&desk, room: &room).map { $0.bytes.prefix(2) } == [[1, 1], [2, 2], [3, 1]])
        #expect(flush(&desk, room: &room).isEmpty && desk.count == 0)
    }

    @Test func `a message that is greater than any budget is heard when its sender has no other`() {
        var desk = desk { ($0.askedBytes, $0.askedBytesInAll, $0.roundBytes) = (1000, 2000, 500) }
        desk.arrived(message(50_000), from: client(1))
        var heard = 0
        while desk.hasAsked { heard += desk.round().count }
        #expect(heard == 1)
    }

    @Test func `what one client has waiting is bounded, what is over it dropped and told once there is room`() {
        var desk = desk { $0.askedBytes = 10_000 }
        for _ in 0..<100 { desk.arrived(message(1000), from: client(1)) }
        #expect(desk.askedBytes == 10_000 && desk.counters.unheard == 90)
        var room = 10
        let sent = flush(&desk, room: &room)
        #expect(sent.map(\.bytes) == [[90, 0]])
        #expect(flush(&desk, room: &room).isEmpty)
    }

    @Test func `what all have waiting is bounded at the expense of who has the most`() {
        var desk = desk { ($0.askedBytes, $0.askedBytesInAll) = (10_000, 15_000) }
        desk.arrived(message(10), from: client(3))
        for _ in 0..<10 { desk.arrived(message(1000), from: client(1)) }
        for _ in 0..<10 { desk.arrived(message(1000), from: client(2)) }
        #expect(desk.askedBytes <= 15_000)
        var heard: [ConnectionID: Int] = [:]
        while desk.hasAsked { for entry in desk.round() { heard[entry.client, default: 0] += 1 } }
        #expect(heard[client(3)] == 1)
        #expect(abs((heard[client(1)] ?? 0) - (heard[client(2)] ?? 0)) <= 1)
    }

    @Test func `whoever leaves too much unread is not looked at until he reads, and is told then`() {
        var desk = desk { $0.unreadBytes = 3000 }
        for mark in UInt8(1)...5 { desk.keep(message(1000, mark), for: client(1)) }
        #expect(desk.unreadBytes == 3000 && desk.counters.unanswered == 2)
        desk.arrived([1], from: client(1))
        desk.arrived([1], from: client(2))
        #expect(round(&desk).map(\.client) == [client(2)])
        #expect(desk.counters.unread == 1)
        var room = 2
        #expect(flush(&desk, room: &room).map { $0.bytes[0] } == [1, 2])
        desk.arrived([2], from: client(1))
        #expect(round(&desk).count == 1, "it has read")
        room = 10
        #expect(flush(&desk, room: &room).map(\.bytes) == [message(1000, 3), [3, 1]])
        #expect(!desk.hasUnread && desk.unreadBytes == 0 && desk.count == 0)
    }

    @Test func `what all leave unread is bounded`() {
        var desk = desk { $0.unreadBytesInAll = 5000 }
        for number in UInt8(1)...20 { desk.keep(message(1000), for: client(number)) }
        #expect(desk.unreadBytes == 5000 && desk.counters.unanswered == 15)
        desk.arrived([1], from: client(1))
        desk.arrived([1], from: client(20))
        #expect(round(&desk).map(\.client) == [client(20)], "who leaves nothing unread is served")
        desk.flush(refusal: { _, _ in [] }) { _, _ in nil }
        #expect(desk.unreadBytes == 0 && desk.count == 0, "who is gone leaves nothing behind")
    }

    @Test func `more clients than are served at once are counted, and those who are served go on`() {
        var desk = desk { $0.clients = 2 }
        for number in UInt8(1)...5 { desk.arrived([number], from: client(number)) }
        #expect(desk.count == 2 && desk.counters.crowded == 3)
        #expect(round(&desk).count == 2)
        desk.arrived([5], from: client(5))
        #expect(round(&desk).count == 1)
    }

    @Test func `what clients have missed is said`() {
        var desk = desk { ($0.unreadBytes, $0.clients) = (1, 1) }
        for _ in 0..<3 { desk.keep([1, 2], for: client(1)) }
        desk.arrived([1], from: client(1))
        desk.arrived([1], from: client(2))
        #expect(desk.counters.notes.map { String($0.prefix(1)) } == ["1", "2", "1"])
        #expect(desk.refusal(7, isUnread: true).message.contains("7") && desk.refusal(7, isUnread: true).passes != nil)
    }
}
