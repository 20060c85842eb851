import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Testing

@testable import ReluxBroker

@Suite struct BrokerDoorsTests {
    @Test func `a crowd that comes and goes between two looks is one whose memory goes back`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let (context, path) = (try ZeroMQContext(), String(run.brokerEndpoint.dropFirst("ipc://".count)))
        var doors = try BrokerDoors(run: run, context: context)
        _ = doors.lookAtCrowd()
        let cameIn = PeerConnections.cameIn
        var crowd = try (0..<200).map { _ in try Client(of: run.brokerEndpoint, in: context) }
        while PeerConnections.cameIn < cameIn + UInt64(crowd.count) { usleep(1000) }
        crowd = []
        while !PeerConnections.byProcess(at: path).isEmpty { usleep(1000) }
        var looks: [Bool] = []
        for _ in 0..<3 { looks.append(doors.lookAtCrowd()) }
        #expect(looks == [true, true, false])
    }

    private final class Client {
        let socket: ZeroMQSocket

        init(of endpoint: String, in context: ZeroMQContext) throws {
            let socket = try ZeroMQSocket(.dealer, in: context)
            try socket.connect(endpoint)
            self.socket = socket
        }
    }
}
