import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxTestKit
import Testing

/// Has a head to say with each of three pulls, and nothing queued.
private final class HeadsOnly: BusTransportClient {
    let pulls = Watched(0)
    func pull() -> Outgoing {
        let count = pulls.update { count in
            count += 1
            return count
        }
        var outgoing = Outgoing()
        outgoing.messages = [.init(bytes: [1], tapOnly: false)]
        outgoing.nextPull = count < 3 ? .milliseconds(1) : nil
        return outgoing
    }
    func received(_ message: [UInt8]) {}
    func subscribed(_ subscription: [UInt8]) {}
    func droppedForSlowSubscriber() {}
    func cutSubscriber() {}
}

@Suite struct WakeUpTests {
    @Test func `the in-memory transport keeps its time although a pull gave a message`() async throws {
        let client = HeadsOnly()
        let transport = InMemoryTransport(hub: InMemoryHub(), endpoint: "h")
        try transport.start(serving: client)
        try await client.pulls.wait(for: "the third heads") { $0 == 3 }
        transport.stop()
    }

    @Test func `what yields no message still lets the next append wake the sender`() throws {
        let transport = CountingTransport()
        let endpoint = BusEndpoint(host: HostID(rawValue: "h"), transport: transport)
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        // As a sending thread does: it sleeps once a pull says that there was nothing to take.
        func pullUntilIdle() { while !endpoint.pull().isIdle {} }
        pullUntilIdle()
        for _ in 0..<3 {
            let before = transport.wakeCount
            // The leave of a module that is not here is queued and gives no frame.
            endpoint.leave("Gone")
            #expect(transport.wakeCount == before + 1)
            pullUntilIdle()
        }
    }

    @Test func `a dead letter is written though nothing that is said follows it`() throws {
        let transport = CountingTransport()
        let endpoint = BusEndpoint(host: HostID(rawValue: "h"), transport: transport)
        try endpoint.start(Relux.Exchange(uplink: endpoint))
        while !endpoint.pull().isIdle {}
        let before = transport.wakeCount
        let effect = EffectID(module: "There", position: 7)
        endpoint.deadLetter(Relux.DeadLetter(effect: effect, topic: "Work", ancestry: [], cause: .deaths(5), payload: [1], contract: 0), of: "A")
        #expect(transport.wakeCount == before + 1)
    }
}
