package import Relux
package import ReluxControl
package import ReluxWire

/// Request ids of the ingress: each is emitted once, however often it is asked for. A request that was refused was not
/// emitted and counts as new when it is asked for again.
///
/// Design notes. What it keeps has budgets in bytes besides numbers: payloads on their way, of one client and of all, and answers for those
/// who ask again. An answer that is too old for its budget is forgotten, its id is not: nothing is emitted twice.
package struct Ingress: Sendable {
    package enum Verdict: Sendable {
        case first
        /// On its way already; this connection gets the answer too.
        case joined
        case answered(ClientResponse.Body)
        /// It was not emitted, or would have been emitted twice.
        case refused(Refusal)
    }

    /// What an earlier broker has left of a request.
    package enum Recovered: Sendable {
        case pending
        case answered(ClientResponse.Body)
        /// The request is settled; its answer, of that size, is not kept any more.
        case forgotten(EffectID, bytes: Int)
    }

    package struct Limits: Sendable {
        /// Answers that are kept; an older id counts as new.
        package var kept: Int
        /// What kept answers may have in all.
        package var keptBytes = 16 << 20
        /// Payloads that are on their way: in all, and of one client.
        package var openBytes = 32 << 20
        package var openBytesOfOne = 8 << 20
        /// Connections that wait for one answer.
        package var waiters = 256
        package init(kept: Int = 4096) { self.kept = kept }
    }

    /// What a request costs besides its payload.
    private static let overhead = 1024

    private struct Open: Sendable {
        var waiting: [ConnectionID]
        var bytes = 0
        /// The client whose budget the request counts for.
        var asker: ConnectionID?
    }

    private var pending: [String: Open] = [:]
    private var openBytes = 0
    private var openBytesOf: [ConnectionID: Int] = [:]
    private var answers: [String: Recovered] = [:]
    /// Ids of `answers`, the oldest first, from `oldest` on; before `oldestWhole` all are forgotten.
    private var kept: [String] = []
    private var oldest = 0
    private var oldestWhole = 0
    package private(set) var keptBytes = 0
    private let limits: Limits

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether it was emitted already, by this broker or an earlier one.
    package func knows(_ id: String) -> Bool { pending[id] != nil || answers[id] != nil }

    package mutating func request(_ id: String, bytes: Int = 0, from connection: ConnectionID) -> Verdict {
        switch answers[id] {
        case .answered(let body)?: return .answered(body)
        case .forgotten(let effect, let bytes)?: return .refused(.forgotten(id, effect, bytes, limits.keptBytes))
        case .pending?, nil: break
        }
        if let open = pending[id] {
            if open.waiting.contains(connection) { return .joined }
            guard open.waiting.count < limits.waiters else {
                return .refused(
                    Refusal(
                        .tooMuchAsked, "\(limits.waiters) connections wait for the answer to request \(id.debugDescription) already, the limit",
                        passes: "the answer to it"))
            }
            pending[id]?.waiting.append(connection)
            return .joined
        }
        let cost = bytes + Self.overhead
        if let refusal = excess(cost, of: connection) { return .refused(refusal) }
        pending[id] = Open(waiting: [connection], bytes: cost, asker: connection)
        openBytes += cost
        openBytesOf[connection, default: 0] += cost
        return .first
    }

    private func excess(_ cost: Int, of connection: ConnectionID) -> Refusal? {
        let own = openBytesOf[connection] ?? 0
        if own > 0, own + cost > limits.openBytesOfOne {
            return Refusal(
                .ingressFull,
                "nothing was emitted: \(own) bytes of this client are on their way, the limit is \(limits.openBytesOfOne); wait for answers",
                passes: "answers to what is on its way")
        }
        guard openBytes > 0, openBytes + cost > limits.openBytes else { return nil }
        return Refusal(
            .ingressFull,
            "nothing was emitted: \(openBytes) bytes of all clients are on their way, the limit is \(limits.openBytes); ask again",
            passes: "room in the ingress")
    }

    mutating func restore(_ id: String, _ state: Recovered) {
        switch state {
        case .pending: pending[id] = Open(waiting: [])
        case .answered(let body):
            pending[id] = Open(waiting: [])
            _ = answer(id, body)
        case .forgotten: keep(id, state)
        }
    }

    /// The connections that wait for the answer; none if nobody asked or it was answered before.
    package mutating func answer(_ id: String, _ body: ClientResponse.Body) -> [ConnectionID] {
        guard let open = pending.removeValue(forKey: id) else { return [] }
        openBytes -= open.bytes
        if let asker = open.asker {
            let left = (openBytesOf[asker] ?? 0) - open.bytes
            openBytesOf[asker] = left > 0 ? left : nil
        }
        if case .emitted = body { keep(id, .answered(body)) }
        return open.waiting
    }

    private mutating func keep(_ id: String, _ state: Recovered) {
        answers[id] = state
        kept.append(id)
        keptBytes += state.byteCount
        if kept.count - oldest > limits.kept {
            keptBytes -= answers.removeValue(forKey: kept[oldest])?.byteCount ?? 0
            oldest += 1
        }
        oldestWhole = max(oldestWhole, oldest)
        while keptBytes > limits.keptBytes, oldestWhole < kept.count {
            forget(kept[oldestWhole])
            oldestWhole += 1
        }
        if oldest > limits.kept {
            kept.removeFirst(oldest)
            oldestWhole -= oldest
            oldest = 0
        }
    }

    private mutating func forget(_ id: String) {
        guard let state = answers[id], case .answered(.emitted(let answer)) = state else { return }
        keptBytes -= state.byteCount
        answers[id] = .forgotten(answer.effect, bytes: state.byteCount)
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

extension Ingress.Recovered {
    fileprivate var byteCount: Int {
        guard case .answered(.emitted(let answer)) = self else { return 0 }
        return answer.outcomes.reduce(0) { $0 + $1.value.bytes.count + $1.message.utf8.count + $1.recipient.rawValue.utf8.count }
    }
}

extension Refusal {
    fileprivate static func forgotten(_ id: String, _ effect: EffectID, _ bytes: Int, _ limit: Int) -> Refusal {
        Refusal(
            .answerForgotten,
            "request \(id.debugDescription) was emitted as \(effect) and has ended; its answer of \(bytes) bytes is not kept any more (the limit for"
                + " all is \(limit) bytes), and it is not emitted again. Its recipients' journals have it: relux journal")
    }
}

extension Relux.Site {
    /// Where an effect stands that came through the ingress.
    package static let ingress = Self(file: "ingress", line: 0, function: "")
}
