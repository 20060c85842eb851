import Foundation
import Glibc
import ReluxControl
import ReluxOutput
import ReluxRegistry
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
    /// How often whoever waits looks whether there is still somebody who can answer.
    private static let watchInterval: Duration = .milliseconds(100)
    /// Contracts of a thousand modules fit.
    private static let maximumAnswerBytes = 64 * 1024 * 1024

    /// Between two times that something is asked that was refused for now.
    private static let firstPause: Duration = .milliseconds(50)
    private static let longestPause: Duration = .milliseconds(500)
    /// A shorter wait is not spoken of.
    static let quietLimit: Duration = .milliseconds(1500)
    /// The answer to the last of several questions may come that much later.
    private static let lastPatience: Duration = .seconds(1)

    private let socket: ZeroMQSocket
    private let endpoint: String
    /// Where the cluster is; nil when only an endpoint is known.
    private let run: RunDirectory?
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
        var patch = BadPatch()
        while Listener.pid(at: run.brokerSocket) == nil {
            guard let supervisor = run.runningSupervisor() else { throw .unreachable(run) }
            if run.isEnding { throw .takenDown(run, before: "it was asked anything") }
            if let trouble = patch.trouble(of: run, at: clock.now) { throw .brokerDies(run, trouble) }
            guard clock.now < end else { throw .brokerAway(run, supervisor: supervisor) }
            if !isSaid { onWait("the broker to come back") }
            isSaid = true
            usleep(UInt32(Self.pollInterval / .microseconds(1)))
        }
        try self.init(endpoint: run.brokerEndpoint, run: run, packed: packed, onWait: onWait)
    }

    init(
        endpoint: String, run: RunDirectory? = nil, packed: @escaping () -> [String] = { [] }, onWait: @escaping (String) -> Void = { _ in }
    ) throws(CLIError) {
        self.endpoint = endpoint
        self.run = run
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
    /// - Parameters:
    ///   - timeout: how long an answer may take.
    ///   - patience: how long a reason may take to go over; nil for as long as an answer.
    /// - Throws: `timeout` when no answer comes in time; a refusal of the broker as `refused` or `notFound`, also when its reason has not gone
    ///   over in that time.
    func ask(_ body: ClientRequest.Body, timeout: Duration, patience: Duration? = nil) throws(CLIError) -> ClientResponse.Body {
        let id = UUID().uuidString
        let clock = ContinuousClock()
        let patience = patience ?? timeout
        let end = clock.now + patience
        // A request that was let in at the end of the patience has as much time as one that was let in at once.
        let grace = max(timeout - patience, .zero)
        var pause = Self.firstPause
        var waitsFor: String?
        var wish = body
        var waits = true
        while true {
            let left = min(clock.now.duration(to: end) + grace, timeout)
            let answer = try ask(ClientRequest(id: id, body: wish, waits: waits), timeout: waits ? left : max(left, Self.lastPatience))
            guard case .refused(let code, let message, let passes) = answer else { return answer }
            guard let passes else { throw refusal(code, message, of: body) }
            guard waits else { throw .refused(code, message, waited: patience) }
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
    /// - Throws: `timeout` when none comes in time; at once when nobody is left who could answer.
    private func ask(_ request: ClientRequest, timeout: Duration) throws(CLIError) -> ClientResponse.Body {
        let body = request.body
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        do {
            let bytes = try CBOR.encode(BrokerInbound.client(request))
            // The broker's socket would cut the connection without a word.
            if let limit = SocketOptions().maximumMessageBytes, bytes.count > limit {
                throw CLIError.refused(
                    "too-large", "nothing was sent: the request has \(bytes.count) bytes, the broker takes \(limit); send a reference instead")
            }
            // Looked up before the question is sent: a later look may find the next broker, which knows nothing of it.
            var broker = listener
            _ = try socket.send(bytes)
            let started = clock.now
            var lastSent = started
            var nextLook = started + (body.outlivesBroker ? Self.watchInterval : Self.repeatInterval)
            var poller = Poller(capacity: 1)
            poller.add(socket)
            /// Why nobody will answer; what has come by then is read all the same.
            var end: CLIError?
            /// The question to the broker what it waits for itself, and what was said of that.
            var (look, said): (String?, String?)
            var patch = BadPatch()
            while true {
                let left = max(clock.now.duration(to: deadline), .zero)
                let wait = end == nil ? min(left, Self.watchInterval) : .zero
                if try poller.wait(milliseconds: max(1, Int(wait / .milliseconds(1)))) > 0, let part = try socket.receiveParts()?.last {
                    guard case .client(let response) = try CBOR.decode(BrokerOutbound.self, from: part) else { continue }
                    if response.id == request.id { return response.body }
                    if response.id == look, case .status(let status) = response.body, said != body.waitsFor(in: status) {
                        said = body.waitsFor(in: status)
                        onWait(body.waitsFor(in: status))
                    }
                    continue
                }
                if let end { throw end }
                // An answer that had come by then counts, also when this process got no turn before.
                guard left > .zero else { break }
                if !body.isRepeatable, look == nil, started.duration(to: clock.now) >= Self.quietLimit {
                    let id = UUID().uuidString
                    look = id
                    if listener == nil {
                        onWait("the broker to come back")
                    } else {
                        _ = try socket.send(try CBOR.encode(BrokerInbound.client(ClientRequest(id: id, body: .status, waits: false))))
                    }
                }
                end = self.end(for: body, &patch, at: clock.now)
                if body.isRepeatable, lastSent.duration(to: clock.now) >= Self.repeatInterval {
                    _ = try socket.send(bytes)
                    lastSent = clock.now
                }
                guard !body.isRepeatable, clock.now >= nextLook else { continue }
                nextLook = clock.now + (body.outlivesBroker ? Self.watchInterval : Self.repeatInterval)
                guard let now = listener, now != broker else { continue }
                let before = broker
                broker = now
                look = nil
                guard body.outlivesBroker else {
                    // The first broker to listen hears a request that was sent before.
                    if let before { end = .otherBroker(before, now) }
                    continue
                }
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
        if case .status = body {} else if case .status(let status)? = try? ask(ClientRequest(id: UUID().uuidString, body: .status, waits: false), timeout: .seconds(1)) {
            if let run, status.isClosing { return .takenDown(run, before: body.awaited, body.outcome) }
            return CLIError(
                .timeout, "cluster.unfinished", "what was asked has not come to its end within \(time); the broker, which answers, goes on with it",
                hint: "see what it waits for with `relux status` and `relux doctor`, or give --timeout")
        }
        if let run, let supervisor = run.runningSupervisor(), run.unwritable != nil { return .brokerAway(run, supervisor: supervisor) }
        if let run, let trouble = run.brokerTrouble { return .brokerDies(run, trouble) }
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
        guard code == Refusal.Rule.unknownModule.rawValue, let module = body.module, case .status(let status)? = try? ask(.status, timeout: .seconds(1)) else {
            return .refused(code, message)
        }
        let error = CLIError.refused(code, message)
        let name = module.rawValue
        if let unloaded = status.unloaded(name, packed: packed()) { return CLIError(error.status, error.code, unloaded.message, hint: unloaded.hint) }
        return CLIError(error.status, error.code, message, hint: CLIError.meant(name, loaded: status.known, packed: packed()) ?? "")
    }

    /// Why nobody will answer any more; nil while somebody may.
    private func end(for body: ClientRequest.Body, _ patch: inout BadPatch, at now: ContinuousClock.Instant) -> CLIError? {
        guard let run else { return nil }
        if let trouble = patch.trouble(of: run, at: now) { return .brokerDies(run, trouble) }
        return run.isLeft ? .takenDown(run, before: body.awaited, body.outcome) : nil
    }

    /// The process that listens at the endpoint now.
    private var listener: pid_t? {
        endpoint.hasPrefix("ipc://") ? Listener.pid(at: String(endpoint.dropFirst("ipc://".count))) : nil
    }
}
