import Glibc
import Relux
import ReluxControl
import ReluxZeroMQ

/// A conversation with the broker of a cluster. Owned by one thread.
struct BrokerTalk: ~Copyable {
    private let socket: ZeroMQSocket
    private let run: RunDirectory
    private var requests = 0

    init(_ directory: String) throws {
        let run = RunDirectory(path: directory)
        var options = SocketOptions()
        options.linger = .zero
        let socket = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: options)
        try socket.connect(run.brokerEndpoint)
        self.run = run
        self.socket = socket
    }

    /// A request that is refused for a reason that goes over by itself is asked again.
    ///
    /// - Throws: when no answer has come in that time.
    mutating func ask(_ body: ClientRequest.Body, milliseconds: Int = 30_000) throws -> ClientResponse.Body {
        let end = Monotonic.now() + .milliseconds(milliseconds)
        while true {
            let answer = try askOnce(body, milliseconds: milliseconds)
            guard case .refused(_, _, .some) = answer, Monotonic.now() < end else { return answer }
            usleep(5000)
        }
    }

    private mutating func askOnce(_ body: ClientRequest.Body, milliseconds: Int) throws -> ClientResponse.Body {
        requests += 1
        _ = try socket.send(try CBOR.encode(BrokerInbound.client(ClientRequest(id: "bench-\(requests)", body: body))))
        var poller = Poller(capacity: 1)
        poller.add(socket)
        while try poller.wait(milliseconds: milliseconds) > 0, let bytes = try socket.receiveBytes() {
            guard case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: bytes) else { continue }
            if response.id == "bench-\(requests)" { return response.body }
        }
        throw BenchError("the broker of \(run.path) has not answered within \(milliseconds) ms")
    }

    mutating func status() throws -> ClusterStatus {
        guard case .status(let status) = try ask(.status) else { throw BenchError("the broker did not answer with its status") }
        return status
    }

    /// The first status that is as wanted; asked for every millisecond, which leaves the processors to what is measured.
    mutating func status(when what: String, _ isWanted: (ClusterStatus) -> Bool) throws -> ClusterStatus {
        let start = Monotonic.now()
        while Monotonic.now() - start < .seconds(60) {
            let status = try status()
            if isWanted(status) { return status }
            usleep(1000)
        }
        throw BenchError("no \(what) within 60 s")
    }
}
