import Relux
import ReluxControl
@testable import ReluxRegistry
import ReluxWire
import Testing

/// Clients that ask for the status together.
@Suite struct SharedAnswerTests {
    @Test(arguments: ["", "7", String(repeating: "a", count: 23), String(repeating: "a", count: 24), String(repeating: "ä\u{0}bid", count: 60), "id"])
    func `an answer that is coded once is, byte for byte, what each client would be sent alone`(id: String) throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        for body: ClientResponse.Body in [.status(cluster.registry.status), .done(lines: ["id", "bid"]), .refused(code: "id", message: "bid")] {
            let alone = try CBOR.encode(BrokerOutbound.client(ClientResponse(id: id, body: body)))
            #expect(try SharedAnswer(body).message(for: id) == alone)
        }
    }

    @Test func `whoever asks for the status in one call gets the same reading, of the state after all that came with it`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let asked = (1...3).map { number in
            Registry.Event.client(
                ConnectionID(ByteString([UInt8(number)]), at: .clients), ClientRequest(id: "\(number)", body: .status), plugins: [:])
        }
        let pid = try #require(cluster.registry.hosts["auth"]?.pid)
        let ended = cluster.numbered(.supervisor(FakeCluster.supervisor, .exited(host: "auth", pid: pid, status: "exit 1"), plugins: [:]))
        let actions = cluster.registry.on(asked.prefix(1) + [ended] + asked.dropFirst(), now: cluster.now)
        let readings = actions.compactMap { action -> (String, ClusterStatus)? in
            guard case .answer(_, let response) = action, case .status(let status) = response.body else { return nil }
            return (response.id, status)
        }
        #expect(readings.map(\.0) == ["1", "2", "3"])
        #expect(readings.allSatisfy { $0.1.modules.first { $0.id == "Auth" }?.state.phase == .backoff }, "\(readings.map { $0.1.modules.first { $0.id == "Auth" }?.state })")
    }
}
