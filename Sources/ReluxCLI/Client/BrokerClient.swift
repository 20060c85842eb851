import Foundation
import Glibc
import ReluxBus
import ReluxOutput
import ReluxTap
import ReluxWire
import ReluxZeroMQ

/// One conversation with a cluster's broker; it never waits longer than it was told to.
///
/// It belongs to the thread that made it.
struct BrokerClient: ~Copyable {
    /// Answers that may take longer than a moment are asked for again, in case the broker was restarted meanwhile.
    private static let repeatInterval: Duration = .seconds(1)
    private static let pollInterval: Duration = .milliseconds(20)
    /// How often an emission that waits looks whether its broker is still the same process.
    private static let watchInterval: Duration = .milliseconds(100)
    /// Contracts of a thousand modules fit.
    private static let maximumAnswerBytes = 64 * 1024 * 1024

    /// Between two times that something is asked that was refused for now.
    private static let firstPause: Duration = .milliseconds(50)
    private static let longestPause: Duration = .milliseconds(500)
    /// The answer to the last of several questions may come that much later.
    private static let lastPatience: Duration = .seconds(1)

    private let socket: ZeroMQSocket
    private let endpoint: String
    private let onWait: (String) -> Void
    /// The names of modules that could be loaded.
    private let packed: () -> [String]

    /// - Parameters:
    ///   - patience: how long a broker that a supervisor is just starting again may take.
    ///   - onWait: told what is waited for, once for each.
    /// - Throws: `unreachable` when nobody listens at the run directory's endpoint.
    init(
        run: RunDirectory, patience: Duration, packed: @escaping () -> [String] = { [] }, onWait: @escaping (String) -> Void = { _ in }
    ) throws(CLIError) {
        let clock = ContinuousClock()
        let end = clock.now + patience
        var isSaid = false
        while !Self.isListening(run.brokerSocket) {
            guard let supervisor = run.runningSupervisor() else { throw .unreachable(run) }
            guard clock.now < end else { throw .brokerAway(run, supervisor: supervisor) }
            if !isSaid { onWait("the broker to come back") }
            isSaid = true
            usleep(UInt32(Self.pollInterval / .microseconds(1)))
        }
        try self.init(endpoint: run.brokerEndpoint, packed: packed, onWait: onWait)
    }

    init(endpoint: String, packed: @escaping () -> [String] = { [] }, onWait: @escaping (String) -> Void = { _ in }) throws(CLIError) {
        self.endpoint = endpoint
        self.packed = packed
        self.onWait = onWait
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

    /// Asks until it is done, or refused for a reason that does not go over by itself; of others it tells what it waits for, once for each.
    ///
    /// - Throws: `timeout` when no answer comes in time; a refusal of the broker as `refused` or `notFound`, also when its reason has not gone
    ///   over in that time.
    func ask(_ body: ClientRequest.Body, timeout: Duration) throws(CLIError) -> ClientResponse.Body {
        let id = UUID().uuidString
        let clock = ContinuousClock()
        let end = clock.now + timeout
        var pause = Self.firstPause
        var waitsFor: String?
        var wish = body
        var waits = true
        while true {
            let left = clock.now.duration(to: end)
            let answer = try ask(ClientRequest(id: id, body: wish, waits: waits), timeout: waits ? left : max(left, Self.lastPatience))
            guard case .refused(let code, let message, let passes) = answer else { return answer }
            guard let passes else { throw refusal(code, message, of: body) }
            guard waits else { throw .refused(code, message, waited: timeout) }
            guard clock.now.duration(to: end) > pause else {
                // Once more as somebody who does not come again: what is refused now is counted.
                waits = false
                continue
            }
            if passes != waitsFor { onWait(passes) }
            waitsFor = passes
            usleep(UInt32(pause / .microseconds(1)))
            pause = min(pause * 2, Self.longestPause)
            if let deadline = body.deadline { wish = body.within(min(deadline, clock.now.duration(to: end))) }
        }
    }

    /// Sends one request and waits for its answer; other answers are passed over.
    ///
    /// An emission is repeated under its id, within the deadline, when another broker has taken the place of the one that
    /// was asked; so is a hand-over, which that one brings to its end.
    /// - Throws: `timeout` when none comes in time.
    private func ask(_ request: ClientRequest, timeout: Duration) throws(CLIError) -> ClientResponse.Body {
        let body = request.body
        let clock = ContinuousClock()
        let end = clock.now + timeout
        do {
            let bytes = try CBOR.encode(BrokerInbound.client(request))
            // The broker's socket would cut the connection without a word.
            if let limit = SocketOptions().maximumMessageBytes, bytes.count > limit {
                throw CLIError.refused(
                    "too-large", "nothing was sent: the request has \(bytes.count) bytes, the broker takes \(limit); send a reference instead")
            }
            _ = try socket.send(bytes)
            let started = clock.now
            var lastSent = started
            var broker = listener
            var poller = Poller(capacity: 1)
            poller.add(socket)
            while true {
                let left = clock.now.duration(to: end)
                guard left > .zero else { break }
                let wait = min(left, body.isRepeatable ? Self.repeatInterval : body.outlivesBroker ? Self.watchInterval : left)
                if try poller.wait(milliseconds: max(1, Int(wait / .milliseconds(1)))) > 0,
                    let part = try socket.receiveParts()?.last,
                    case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: part), response.id == request.id
                {
                    return response.body
                }
                if body.isRepeatable, lastSent.duration(to: clock.now) >= Self.repeatInterval {
                    _ = try socket.send(bytes)
                    lastSent = clock.now
                }
                guard body.outlivesBroker, let now = listener, now != broker else { continue }
                broker = now
                let rest = (body.deadline ?? timeout) - started.duration(to: clock.now)
                guard rest > .zero else { continue }
                let again = ClientRequest(id: request.id, body: body.within(rest), waits: request.waits)
                _ = try socket.send(try CBOR.encode(BrokerInbound.client(again)))
            }
        } catch let error as CLIError {
            throw error
        } catch {
            throw CLIError(.failed, "cluster.answer", "the broker's answer cannot be used: \(error)")
        }
        if case .emit(let topic, _, _, _, _, _) = body {
            throw CLIError(
                .timeout, "effect.unknown",
                "outcome unknown: \(topic) may have been accepted; the broker at \(endpoint) gave no answer within \(DurationText.print(timeout))",
                hint: "look for it with `relux tap`, or for its traces in `relux status`, before you send it again")
        }
        throw silence(after: timeout, body)
    }

    /// Why no answer came: the broker waits for others itself, or it is the one that says nothing.
    private func silence(after timeout: Duration, _ body: ClientRequest.Body) -> CLIError {
        let time = DurationText.print(timeout)
        if case .status = body {} else if case .status? = try? ask(ClientRequest(id: UUID().uuidString, body: .status, waits: false), timeout: .seconds(1)) {
            return CLIError(
                .timeout, "cluster.unfinished", "what was asked has not come to its end within \(time); the broker, which answers, goes on with it",
                hint: "see what it waits for with `relux status` and `relux doctor`, or give --timeout")
        }
        if let pid = listener, pid > 0, ProcessState.isStopped(pid) {
            return CLIError(
                .timeout, "cluster.timeout", "the broker, process \(pid), was stopped by a signal and did not answer within \(time)",
                hint: "let it go on: kill -CONT \(pid)")
        }
        return CLIError(
            .timeout, "cluster.timeout", "the broker at \(endpoint) did not answer within \(time)",
            hint: "look into `relux logs broker`, or give --timeout")
    }

    /// With the nearest name, where a module is named that is not there.
    private func refusal(_ code: String, _ message: String, of body: ClientRequest.Body) -> CLIError {
        guard code == "unknown-module", let module = body.module, case .status(let status)? = try? ask(.status, timeout: .seconds(1)) else {
            return .refused(code, message)
        }
        let error = CLIError.refused(code, message)
        let name = module.rawValue
        if let unloaded = status.unloaded(name, packed: packed()) { return CLIError(error.status, error.code, unloaded.message, hint: unloaded.hint) }
        return CLIError(error.status, error.code, message, hint: CLIError.meant(name, loaded: status.known, packed: packed()) ?? "")
    }

    /// The process that listens at the endpoint now.
    private var listener: pid_t? {
        endpoint.hasPrefix("ipc://") ? Self.listener(at: String(endpoint.dropFirst("ipc://".count))) : nil
    }

    /// Whether a process accepts connections at the path; a file that a dead one left does not count.
    private static func isListening(_ path: String) -> Bool { listener(at: path) != nil }

    /// Who accepts connections at the path; nil when nobody does.
    private static func listener(at path: String) -> pid_t? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return nil }
        // SO_PEERCRED gives a `struct ucred`: pid, uid, gid (unix(7)).
        var credentials: (pid: pid_t, uid: uid_t, gid: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return 0 }
        return credentials.pid
    }
}

extension ClientRequest.Body {
    /// The module that it is about, if it is about one.
    fileprivate var module: ModuleID? {
        switch self {
        case .whyNot(let module), .unload(let module, _), .restart(let module, _), .resolve(let module, _, _): module
        case .upgrade(let module, _, _), .rollback(let module, _), .move(let module, _, _), .evict(let module, _, _): module
        default: nil
        }
    }

    /// Asking twice does what asking once does.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .status, .contracts, .whyNot: true
        default: false
        }
    }

    /// Whether the next broker knows it by its id.
    fileprivate var outlivesBroker: Bool {
        switch self {
        case .emit, .upgrade, .rollback, .move: true
        default: false
        }
    }

    /// How long an emission's recipients may take; nil for any other request.
    fileprivate var deadline: Duration? {
        guard case .emit(_, _, let milliseconds, _, _, _) = self else { return nil }
        return .milliseconds(Int64(clamping: milliseconds))
    }

    /// The same with less time.
    fileprivate func within(_ rest: Duration) -> Self {
        guard case .emit(let topic, let payload, _, let label, let contract, let everyone) = self else { return self }
        return .emit(
            topic: topic, payload: payload, deadlineMilliseconds: max(1, UInt64(rest / .milliseconds(1))), label: label, contract: contract,
            everyone: everyone)
    }
}

extension CLIError {
    /// No supervisor has the lock; its processes may be there all the same.
    static func unreachable(_ run: RunDirectory) -> CLIError {
        let left = ClusterProcesses.find(run)
        guard !left.isEmpty else { return unreachable(run, "no supervisor runs there") }
        return CLIError(
            .unreachable, "cluster.unreachable",
            "no cluster answers in \(run.path), but processes of it run: \(ClusterProcesses.list(left)); what they had there was taken away",
            hint: "they make it anew or end within seconds; relux down ends them")
    }

    static func unreachable(_ run: RunDirectory, _ why: String) -> CLIError {
        CLIError(
            .unreachable, "cluster.unreachable", "no cluster answers in \(run.path): \(why)",
            hint: "start it with `relux up`, or name another with --run or --config")
    }

    /// The supervisor is there, and will start it again.
    static func brokerAway(_ run: RunDirectory, supervisor: Int32) -> CLIError {
        guard let trouble = run.brokerTrouble else {
            return CLIError(
                .unreachable, "cluster.unreachable", "no cluster answers in \(run.path): supervisor \(supervisor) runs, but its broker does not listen",
                hint: "it is started again by itself; ask once more, see relux logs broker")
        }
        return .brokerDies(run, trouble)
    }

    static func brokerDies(_ run: RunDirectory, _ trouble: BrokerTrouble) -> CLIError {
        CLIError(
            .unreachable, "broker.dies", "no cluster answers in \(run.path): \(TerminalText.escaped(trouble.text))",
            hint: "mend that, and the next one serves; its words are in \(run.log(of: "broker")); relux down ends the cluster")
    }

    /// What is to be done about a module that is not there: load it, or write its name otherwise; nil when no name is near.
    static func meant(_ name: String, loaded: [String], packed: [String]) -> String? {
        if packed.contains(name) { return "it is packed and not loaded: relux module load \(name)" }
        return NearestName.meant(name, among: loaded + packed.filter { !loaded.contains($0) })
    }

    /// The broker's refusals by rule.
    ///
    /// - Parameter waited: how long it was waited for the reason to go over.
    static func refused(_ code: String, _ message: String, waited: Duration? = nil) -> CLIError {
        let status: ExitStatus =
            switch code {
            case "unknown-module": .notFound
            // It was tried, and it is as before.
            case "hand-over-failed": .failed
            default: .refused
            }
        let hint = waited.map { "it was so for \(DurationText.print($0)); --timeout waits longer" } ?? ""
        return CLIError(status, "refused.\(code)", message, hint: hint)
    }

    static func strangeAnswer(_ request: String) -> CLIError {
        CLIError(
            .failed, "cluster.answer", "the broker answered the request `\(request)` with something else",
            hint: "use the relux that belongs to this cluster")
    }
}
