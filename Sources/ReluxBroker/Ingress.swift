import Relux
package import ReluxBus
import ReluxWire

/// Request ids of the ingress: each is emitted once, however often it is asked for. One that was refused was not
/// emitted and counts as new when it is asked for again.
package struct Ingress: Sendable {
    package enum Verdict: Sendable {
        case first
        /// On its way already; this connection gets the answer too.
        case joined
        case answered(ClientResponse.Body)
    }

    private var pending: [String: [ConnectionID]] = [:]
    private var answers: [String: ClientResponse.Body] = [:]
    /// Ids of `answers`, the oldest first, from `oldest` on.
    private var kept: [String] = []
    private var oldest = 0
    private let limit: Int

    /// Keeps the last `kept` answers; an older id counts as new.
    package init(kept limit: Int) { self.limit = max(1, limit) }

    /// Whether it was emitted already, by this broker or an earlier one.
    package func knows(_ id: String) -> Bool { pending[id] != nil || answers[id] != nil }

    package mutating func request(_ id: String, from connection: ConnectionID) -> Verdict {
        if let body = answers[id] { return .answered(body) }
        if let waiting = pending[id] {
            if !waiting.contains(connection) { pending[id]?.append(connection) }
            return .joined
        }
        pending[id] = [connection]
        return .first
    }

    /// What an earlier broker has answered, or still waits for: nil.
    package mutating func restore(_ id: String, _ body: ClientResponse.Body?) {
        pending[id] = []
        if let body { _ = answer(id, body) }
    }

    /// Who waits for the answer; none if nobody asked or it was answered before.
    package mutating func answer(_ id: String, _ body: ClientResponse.Body) -> [ConnectionID] {
        guard let waiting = pending.removeValue(forKey: id) else { return [] }
        guard case .emitted = body else { return waiting }
        answers[id] = body
        kept.append(id)
        if kept.count - oldest > limit {
            answers[kept[oldest]] = nil
            oldest += 1
        }
        if oldest > limit {
            kept.removeFirst(oldest)
            oldest = 0
        }
        return waiting
    }
}

extension Ingress {
    /// Why no journal could hold the request; nil when it can.
    static func excess(of payload: ByteString, _ id: String) -> Refusal? {
        if id.utf8.count > Relux.requestByteLimit {
            return Refusal(.tooLarge, "nothing was emitted: the request's id has \(id.utf8.count) bytes, the limit is \(Relux.requestByteLimit); ask under a shorter one")
        }
        guard payload.bytes.count > WireRecord.payloadByteLimit else { return nil }
        return Refusal(
            .tooLarge,
            "nothing was emitted: the payload has \(payload.bytes.count) bytes, the limit is \(WireRecord.payloadByteLimit); send a reference instead")
    }
}
