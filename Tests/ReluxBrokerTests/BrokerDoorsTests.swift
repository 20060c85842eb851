import Foundation
import ReluxBus
import ReluxWire
import ReluxZeroMQ
import Testing

@testable import ReluxBroker

@Suite struct BrokerDoorsTests {
    @Test func `a crowd that comes and goes between two looks is one whose memory goes back`() throws {
        let run = RunDirectory(path: "/tmp/relux-broker-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        try run.create()
        defer { try? FileManager.default.removeItem(atPath: run.path) }
        let (context, path) = (try ZeroMQContext(), String(run.brokerEndpoint.dropFirst("ipc://".count)))
        var doors = try BrokerDoors(run: run, context: context)
        _ = doors.lookAtCrowd()
        let cameIn = PeerConnections.cameIn
        let crowd = try (0..<200).map { _ in try connection(to: path) }
        while PeerConnections.cameIn < cameIn + 200 { usleep(1000) }
        for descriptor in crowd { close(descriptor) }
        while !PeerConnections.byProcess(at: path).isEmpty { usleep(1000) }
        var looks: [Bool] = []
        for _ in 0..<3 { looks.append(doors.lookAtCrowd()) }
        #expect(looks == [true, true, false])
    }

    private func connection(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(status == 0)
        return descriptor
    }
}
