import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import ReluxZeroMQ

/// The built-in node: says the broker's facts as effects of the interface `Cluster`, and emits what comes through the ingress.
final class ClusterNode: Sendable {
    private let node: Relux
    private let endpoint: BusEndpoint
    private let exchange: Relux.Exchange
    private let journals: ModuleJournals
    private let requests: [Ledger.RecoveredRequest]
    private let transport: ZeroMQTransport
    private let sealer: ClusterSealer
    private let keyFile: String
    private let facts: AsyncStream<ClusterFact>.Continuation
    private let clock: Relux.NodeClock

    /// Those of the broker's own module.
    static func journals(_ limits: JournalLimits) throws -> ModuleJournals {
        ModuleJournals(environment: try .live(), options: .serving, retention: limits.retention) { refusal in
            StandardError.write("relux-broker: journal of \(refusal.module): \(refusal.description)")
        }
    }

    /// - Parameters:
    ///   - journals: with that of this life, which is open.
    ///   - ledger: what it says of the lives before.
    /// - Throws: when the endpoint cannot be bound or the key cannot be read.
    init(
        place: ClusterPicture.Host, context: ZeroMQContext, run: RunDirectory, limits: JournalLimits, clock: Relux.NodeClock, epoch: Epoch,
        journals: ModuleJournals, ledger: Ledger, courier: Courier,
        onInterrupted: @escaping @Sendable (ModuleID, [EffectID]) -> Void
    ) throws {
        let sealer = try ClusterKey(run).open()
        let transport = try ZeroMQTransport(
            context: context, endpoint: place.endpoint, tapEndpoint: place.tapEndpoint)
        (self.transport, self.sealer, keyFile) = (transport, sealer, run.key)
        self.journals = journals
        self.clock = clock
        let (coming, answers) = AsyncStream.makeStream(of: CourierAnswer.self)
        var owner = BusEndpoint.Owner()
        owner.interrupted = onInterrupted
        owner.broken = { _ in _exit(ProcessExit.journalBroken) }
        owner.askCourier = { question in courier.ask(question, for: nil) { answers.yield($0) } }
        endpoint = BusEndpoint(
            host: place.id, transport: transport, clock: clock, sealer: sealer, journal: journals,
            disk: DiskWatch(directory: run.journals, reserve: limits.reserve, environment: try .live()), owner: owner)
        exchange = Relux.Exchange(clock: clock, uplink: endpoint)
        let id = Registry.builtIn
        node = Relux.clusterNode(for: id, on: exchange, clock: clock, sealer: sealer)
        try endpoint.start(exchange)
        requests = ledger.recoveredRequests(userInfo: [.reluxSealer: sealer])
        recovered = requests.map { entry in
            if let bytes = entry.forgottenBytes { return (entry.request, .forgotten(entry.effect, bytes: bytes)) }
            guard !entry.isPending else { return (entry.request, .pending) }
            return (entry.request, .answered(.emitted(EmitAnswer(entry.effect, entry.result ?? Relux.ActionResult(isUnhandled: true)))))
        }
        // No list of what it emits: the ingress carries whatever a contract allows.
        node.joinAsIngress(recovery: ledger.recovery(epoch: epoch, userInfo: [.reluxSealer: sealer]))
        endpoint.join(
            ModuleDeclaration(
                id: id, version: "1.0.0", kind: .infrastructure, handles: [], emits: [Cluster.Business.Effect.wireTopic]),
            epoch: epoch, handling: [], ledger: ledger, contracts: PlatformContracts.fingerprints)
        node.openModule()
        let endpoint = endpoint
        Task {
            for await answer in coming { endpoint.received(answer) }
        }
        let (stream, facts) = AsyncStream.makeStream(of: ClusterFact.self)
        self.facts = facts
        let node = node
        // Lives as long as the node: facts are said in the order in which they became true, and nobody waits for their end.
        Task {
            for await fact in stream { await Self.say(fact, node) }
        }
    }

    /// Returns when the fact has its place in the stream, or has none.
    private static func say(_ fact: ClusterFact, _ node: Relux) async {
        guard let payload = try? CBOR.encode(fact) else { return }
        let (accepted, accept) = AsyncStream.makeStream(of: Never.self)
        Task {
            _ = await node.dispatchEncoded(
                payload, on: ClusterFact.wireTopic, deadline: nil, label: "",
                site: Relux.Site(file: "broker", line: 0, function: ""), onAccepted: { accept.finish() })
            accept.finish()
        }
        for await _ in accepted {}
    }

    func apply(_ picture: ClusterPicture) { endpoint.apply(picture) }

    /// On the broker's thread, which may wait.
    func lookAtDisk() { endpoint.lookAtDisk() }

    /// Makes anew what was taken away of it: its sockets, and the cluster's key, which every process has.
    ///
    /// - Returns: what was done, a line each.
    /// - Throws: `removed` when its journal is gone, `isInUse` when another process is in its place: the broker must end.
    func holdPlace() throws -> [String] {
        var done = try transport.holdPlaces().map { "its socket was gone and is bound again: \($0)" }
        if try sealer.keepKey(in: keyFile) { done.append("the cluster's key was gone and is written again: \(keyFile)") }
        try journals.checkPlaces()
        return done
    }

    /// Why what the broker says has to wait for a disk, a line each.
    var diskTroubles: [ClusterNote] { endpoint.diskTroubles }
    var counters: BusCounters { endpoint.counters }

    /// What journals may keep of the node's disk.
    func limit(to shares: [ModuleID: Int]) { endpoint.trim(journals.limit(to: shares)) }

    func publish(_ fact: ClusterFact) { facts.yield(fact) }

    /// What came in through the ingress before this life, oldest first.
    let recovered: [(request: String, state: Ingress.Recovered)]

    /// Waits for what is on its way from before this life; each is answered when it has settled or its time is over.
    func awaitRecovered(answer: @escaping @Sendable (String, ClientResponse.Body) -> Void) {
        let (node, endpoint) = (node, endpoint)
        for entry in requests where entry.isPending {
            let (request, effect, awaiting) = (entry.request, entry.effect, entry.awaiting)
            Task {
                // Its settlement may have come before anybody waited; then the journal has it.
                let result = await node.awaitRecovered(effect, deadline: nil, awaiting: awaiting) ?? endpoint.answer(to: effect)
                // Without either it is not over; whoever asks again asks the next life.
                if let result { answer(request, .emitted(EmitAnswer(effect, result))) }
            }
        }
    }

    /// Emits a coded effect and hands the merged result on when it has settled or its deadline has passed.
    func emit(
        _ topic: Topic, _ payload: ByteString, durability: Relux.Durability, request: String, milliseconds: UInt64, label: String, contract: UInt64,
        awaiting: Relux.Awaiting, answer: @escaping @Sendable (ClientResponse.Body) -> Void
    ) {
        let (node, endpoint, exchange, clock) = (node, endpoint, exchange, clock)
        Task {
            let patience: Duration = milliseconds == 0 ? .seconds(30) : .milliseconds(Int64(clamping: milliseconds))
            let started = clock.now()
            if let refusal = await endpoint.admit(topic, until: started + patience) {
                let failure = refusal.failures.first?.message ?? "there is no room"
                exchange.refuse(
                    Relux.RefusedDispatch(
                        module: Registry.builtIn, topic: topic.rawValue, caseName: CBOR.caseName(of: payload.bytes) ?? "", label: label,
                        site: .ingress, failure: refusal.failures.first ?? .overloaded(topic.rawValue)))
                return answer(.refused(code: "ingress.overloaded", message: failure))
            }
            let (id, result) = await node.dispatchEncoded(
                payload.bytes, on: topic, durability: durability, deadline: max(.milliseconds(1), patience - (clock.now() - started)),
                label: label, site: .ingress, request: request, contract: contract, awaiting: awaiting)
            guard let id else {
                let failure = result.failures.first?.description ?? "the effect was not accepted"
                return answer(.refused(code: "ingress.notAccepted", message: failure))
            }
            answer(.emitted(EmitAnswer(id, result)))
        }
    }

    /// What the ingress had to refuse before the node was asked.
    func refuse(_ refused: Relux.RefusedDispatch) { exchange.refuse(refused) }

    /// The refusals of the ingress since this broker began. Also writes down what was kept back.
    func refusals() -> Relux.Refusals {
        exchange.sayKeptRefusals()
        return exchange.refusals(of: Registry.builtIn)
    }

    /// - Returns: how far its journal has come; nothing when it could not be sealed.
    func stop() -> [ModuleID: JournalEnd] {
        facts.finish()
        exchange.sayKeptRefusals(isLast: true)
        endpoint.stop()
        journals.closeAll()
        return journals.takeEnds()
    }
}

extension EmitAnswer {
    init(_ id: EffectID, _ result: Relux.ActionResult) {
        self.init(
            effect: id, unhandled: result.isUnhandled, succeeded: result.isSuccess,
            outcomes: result.outcomes.map { outcome in
                Outcome(
                    recipient: outcome.recipient.module, status: outcome.status,
                    // Nothing has failed of who is parked: it is told why, and no code.
                    message: (outcome.status == .parked ? outcome.failure?.message : outcome.failure?.description) ?? "",
                    value: ByteString((try? outcome.value?.encoded(userInfo: [:])) ?? []))
            })
    }
}
