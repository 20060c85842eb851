import Foundation
import Glibc
import ReluxBus
import ReluxWire
import ReluxZeroMQ

/// One conversation with a cluster's broker; it never waits longer than it was told to.
///
/// It belongs to the thread that made it.
struct BrokerClient: ~Copyable {
    /// Answers that may take longer than a moment are asked for again, in case the broker was restarted meanwhile.
    private static let repeatInterval: Duration = .seconds(1)
    private static let pollInterval: Duration = .milliseconds(20)
    /// Contracts of a thousand modules fit.
    private static let maximumAnswerBytes = 64 * 1024 * 1024

    private let socket: ZeroMQSocket
    private let endpoint: String

    /// - Parameter patience: how long a broker that a supervisor is just starting again may take.
    /// - Throws: `unreachable` when nobody listens at the run directory's endpoint.
    init(run: RunDirectory, patience: Duration) throws(CLIError) {
        let clock = ContinuousClock()
        let end = clock.now + patience
        while !Self.isListening(run.brokerSocket) {
            guard let supervisor = run.runningSupervisor() else { throw .unreachable(run, "no supervisor runs there") }
            guard clock.now < end else {
                throw .unreachable(run, "supervisor \(supervisor) runs, but its broker does not listen")
            }
            usleep(UInt32(Self.pollInterval / .microseconds(1)))
        }
        try self.init(endpoint: run.brokerEndpoint)
    }

    init(endpoint: String) throws(CLIError) {
        self.endpoint = endpoint
        do throws(ZeroMQError) {
            socket = try Self.socket(connectedTo: endpoint)
        } catch {
            throw CLIError(.unreachable, "cluster.socket", "cannot open a socket to \(endpoint): \(error)")
        }
    }

    private static func socket(connectedTo endpoint: String) throws(ZeroMQError) -> ZeroMQSocket {
        var options = SocketOptions()
        options.linger = .zero
        options.maximumMessageBytes = Self.maximumAnswerBytes
        let socket = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: options)
        try socket.connect(endpoint)
        return socket
    }

    /// Sends one request and waits for its answer; other answers are passed over.
    ///
    /// - Throws: `timeout` when none comes in time; a refusal of the broker as `refused` or `notFound`.
    func ask(_ body: ClientRequest.Body, timeout: Duration) throws(CLIError) -> ClientResponse.Body {
        let request = ClientRequest(id: UUID().uuidString, body: body)
        let clock = ContinuousClock()
        let end = clock.now + timeout
        do {
            let bytes = try CBOR.encode(BrokerInbound.client(request))
            _ = try socket.send(bytes)
            var lastSent = clock.now
            var poller = Poller(capacity: 1)
            poller.add(socket)
            while true {
                let left = clock.now.duration(to: end)
                guard left > .zero else { break }
                let wait = body.isRepeatable ? min(left, Self.repeatInterval) : left
                if try poller.wait(milliseconds: max(1, Int(wait / .milliseconds(1)))) > 0,
                    let part = try socket.receiveParts()?.last,
                    case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: part), response.id == request.id
                {
                    if case .refused(let code, let message) = response.body { throw CLIError.refused(code, message) }
                    return response.body
                }
                if body.isRepeatable, lastSent.duration(to: clock.now) >= Self.repeatInterval {
                    _ = try socket.send(bytes)
                    lastSent = clock.now
                }
            }
        } catch let error as CLIError {
            throw error
        } catch {
            throw CLIError(.failed, "cluster.answer", "the broker's answer cannot be used: \(error)")
        }
        throw CLIError(
            .timeout, "cluster.timeout", "the broker at \(endpoint) did not answer within \(timeout)",
            hint: "look into `relux logs broker`, or give --timeout")
    }

    /// Whether a process accepts connections at the path; a file that a dead one left does not count.
    private static func isListening(_ path: String) -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}

extension ClientRequest.Body {
    /// Asking twice does what asking once does.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .status, .contracts, .whyNot: true
        default: false
        }
    }
}

extension CLIError {
    static func unreachable(_ run: RunDirectory, _ why: String) -> CLIError {
        CLIError(
            .unreachable, "cluster.unreachable", "no cluster answers in \(run.path): \(why)",
            hint: "start it with `relux up`, or name another with --run or --config")
    }

    /// The broker's refusals by rule.
    static func refused(_ code: String, _ message: String) -> CLIError {
        CLIError(code == "unknown-module" ? .notFound : .refused, "refused.\(code)", message)
    }

    static func strangeAnswer(_ request: String) -> CLIError {
        CLIError(
            .failed, "cluster.answer", "the broker answered the request `\(request)` with something else",
            hint: "use the relux that belongs to this cluster")
    }
}
