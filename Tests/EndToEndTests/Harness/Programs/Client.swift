import Foundation
import Relux
import ReluxControl
import ReluxWire

@testable import ReluxCLI

/// Requests to a cluster's broker without a process for each.
struct Client: Sendable {
    let run: RunDirectory

    /// A conversation on a thread of its own, over one socket.
    func talk<R: Sendable>(_ body: @escaping @Sendable (borrowing BrokerClient) throws -> R) async throws -> R {
        try await offPool { try body(try BrokerClient(run: run, patience: watchdog)) }
    }

    func ask(_ request: ClientRequest.Body) async throws -> ClientResponse.Body {
        try await talk { try $0.ask(request, timeout: watchdog) }
    }

    func status() async throws -> ClusterStatus {
        guard case .status(let status) = try await ask(.status) else { throw HarnessError("a strange answer to status") }
        return status
    }

    /// The first status that is as wanted.
    func status(when what: String, _ isAsWanted: @escaping @Sendable (ClusterStatus) -> Bool) async throws -> ClusterStatus {
        try await talk { client in
            var last: ClusterStatus?
            return try poll(for: what, last: { last.map(Self.text) ?? "no answer" }) {
                // A broker that is just being restarted answers later.
                guard case .status(let status)? = try? client.ask(.status, timeout: .seconds(2)) else { return nil }
                last = status
                return isAsWanted(status) ? status : nil
            }
        }
    }

    func module(_ name: String) async throws -> ClusterStatus.Module {
        guard let found = try await status().modules.first(where: { $0.id.rawValue == name }) else {
            throw HarnessError("there is no module \(name)")
        }
        return found
    }

    /// Waits until the module is in the state.
    @discardableResult
    func module(_ name: String, is phase: ModuleState.Phase) async throws -> ClusterStatus.Module {
        let status = try await status(when: "\(name) to be \(phase)") { status in
            status.modules.contains { $0.id.rawValue == name && $0.state.phase == phase }
        }
        guard let found = status.modules.first(where: { $0.id.rawValue == name }) else { throw HarnessError("no \(name)") }
        return found
    }

    /// Emits through the ingress and waits for the merged result.
    func emit(_ effect: some Relux.Effect & Codable, label: String = "", deadline: Duration = .seconds(30)) async throws -> EmitAnswer {
        let topic = type(of: effect).wireTopic
        let payload = ByteString(try CBOR.encode(effect))
        return try await talk { try Self.emit(topic, payload, label, deadline, $0) }
    }

    static func emit(
        _ topic: Topic, _ payload: ByteString, _ label: String, _ deadline: Duration, _ client: borrowing BrokerClient
    ) throws -> EmitAnswer {
        let request = ClientRequest.Body.emit(
            topic: topic, payload: payload, deadlineMilliseconds: UInt64(deadline / .milliseconds(1)), label: label)
        guard case .emitted(let answer) = try client.ask(request, timeout: deadline + watchdog) else {
            throw HarnessError("a strange answer to emit")
        }
        return answer
    }

    static func text(_ status: ClusterStatus) -> String {
        "phase \(status.phase); "
            + status.modules.map { "\($0.id) \($0.state.phase.rawValue) \($0.state.why)" }.joined(separator: ", ")
    }
}
