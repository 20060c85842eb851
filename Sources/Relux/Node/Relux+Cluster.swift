package import ReluxWire
import Synchronization

extension Relux {
    /// A node of a cluster: one module on the exchange that it shares with the other modules of its process.
    ///
    /// - Parameter deadline: how long an await waits at most unless it inherits less.
    package static func clusterNode(
        for module: ModuleID, on exchange: Exchange, logger: (any Logger)? = nil, clock: NodeClock = .continuous,
        sealer: (any SecretSealing)? = nil, deadline: Duration = .seconds(30), drainLimit: Duration = .seconds(5)
    ) -> Relux {
        Relux(
            name: module, exchange: exchange, logger: logger, clock: clock, sealer: sealer, deadline: deadline,
            drainLimit: drainLimit)
    }

    /// Sets the node's one module up for its first life. Its queue is held until ``openModule()``; its ids start after `position`.
    ///
    /// - Parameter runningLimit: how many of its handlers run at a time; those that await a dispatch do not count.
    /// - Throws: `RegistrationError` for a second state or relay of a type, for a name that cannot travel, and when the process has
    ///   a module of that name.
    package func join(
        _ module: any Relux.Module, position: UInt64, handles: Set<Topic>, emits: Set<Topic>, isSerial: Bool,
        runningLimit: Int = 64
    ) throws(RegistrationError) {
        var recovery = Recovery()
        recovery.start = position
        recovery.position = position
        let parts = ModuleParts(module)
        try parts.check()
        try seat(
            parts, try restorables(of: parts), recovery, handles: handles, emits: emits, isSerial: isSerial,
            openHandlers: nil, runningLimit: runningLimit)
    }

    /// Sets a module up that brings nothing, handles nothing and may emit anything.
    package func joinAsIngress(position: UInt64) {
        _ = exchange.add(.publisherOnly(name, numbers: Relux.Party.Numbers(position: position, start: position)))
    }

    package func openModule() { exchange.open(name) }

    /// Drains and takes the module away; true when everything that had begun was finished within the limit.
    ///
    /// - Parameter yields: what has not begun is left to the module's next life; else it is handled, too.
    package func leave(within limit: Duration, yields: Bool = false) async -> Bool {
        stopSchedules(of: name)
        let isDone = await exchange.drain(name, within: limit, yields: yields)
        // Before the states are cleaned up: what is captured is their last value.
        await exchange.closeKeeper(of: name, within: min(limit, .seconds(1)))
        await store.remove(name)
        exchange.remove(name)
        return isDone
    }

    /// Which of the module's lives in this process; the bus takes nothing of another one.
    package var lifeNumber: UInt64 { currentLife.load(ordering: .relaxed) }

    /// The module's life in the cluster; 0 outside of one.
    package func epoch(of module: ModuleID) -> Epoch { exchange.epoch(of: module) }

    /// The module's place in the order of registration: the cluster's, in which a place outlives the module's lives; outside of one that of this
    /// process. Earlier ones have smaller numbers; 0 for a module that nobody knows.
    package func place(of module: ModuleID) -> UInt64 { exchange.place(of: module) ?? 0 }

    /// The shapes that the module's restorable states are stored in: name, version, and the older versions that it can be told in.
    package var storedShapes: [(name: String, version: UInt32, backTo: [UInt32])] { shapes.withLock { $0 } }

    /// Ends this life of the module for a successor elsewhere: what runs is finished within the limit or cancelled, what has not begun
    /// is left to the successor, and the states' last values are captured.
    ///
    /// Nothing that this life says counts afterwards. Its states are not cleaned up: see ``dispose()``.
    /// - Parameter older: the older version that the successor reads, for each of the named states.
    /// - Throws: when a state has no way back to that version; the life has ended all the same, with its states captured as they are.
    package func handOver(within limit: Duration, older: [String: UInt32] = [:]) async throws {
        stopSchedules(of: name)
        let isDone = await exchange.drain(name, within: limit, yields: true)
        defer { exchange.handOver(name) }
        guard let keeper = exchange.keeper(of: name) else { return }
        let deadline = clock.now() + min(limit, .seconds(1))
        await keeper.close(by: deadline, on: clock)
        // In a serial module no action of an unsettled handler may be captured.
        if isDone || !keeper.isSerial { await keeper.captureRest(by: deadline, on: clock) }
        try keeper.capture(older: older)
    }

    /// Cleans up what ``handOver(within:older:)`` has left.
    package func dispose() async { await store.remove(name) }

    /// Adds a relay that the bus feeds.
    package func add(relays: [any StateRelaying]) throws(RegistrationError) {
        try store.add(states: [], relays: relays, of: name)
    }

    /// The relay that the bus feeds with the snapshots of that topic.
    @MainActor
    package func remoteRelay(of topic: Topic) -> (any RemoteRelaying)? { store.remoteRelay(of: topic) }

    /// Codes snapshots as the node codes effects: with its key.
    package func snapshotCoding(
        onFailure: @escaping @Sendable (Topic, Failure) -> Void
    ) -> SnapshotCoding {
        SnapshotCoding(userInfo: codingInfo, onFailure: onFailure)
    }

    /// Emits an effect that is coded already, on behalf of what is no module: the ingress.
    ///
    /// - Parameters:
    ///   - request: at most ``requestByteLimit`` bytes.
    ///   - onAccepted: called under the exchange's lock: short, and nothing of the exchange.
    /// - Returns: its id, nil when it was not accepted, and the merged result.
    package func dispatchEncoded(
        _ payload: [UInt8], on topic: Topic, durability: Durability = .process, deadline: Duration?, label: String, site: Site,
        request: String = "", contract: UInt64 = 0, awaiting: Awaiting = .present,
        onAccepted: @escaping @Sendable () -> Void = {}
    ) async -> (id: EffectID?, result: ActionResult) {
        if let failure = Self.excess(of: payload, request) {
            exchange.refuse(
                RefusedDispatch(
                    module: name, topic: topic.rawValue, caseName: CBOR.caseName(of: payload) ?? "", label: label, site: site, failure: failure))
            return (nil, .refused(failure))
        }
        let id = Mutex<EffectID?>(nil)
        let result = await exchange.dispatch(
            Emission(
                effect: nil, topic: topic, origin: name, coded: Emission.Coded(payload), patience: deadline ?? defaultDeadline, site: site, label: label, awaiting: awaiting, beside: request.isEmpty ? .nothing : .request(request), contract: contract,
                durability: durability,
                onAccepted: { accepted in
                    id.withLock { $0 = accepted }
                    onAccepted()
                }))
        if result.isUnhandled, durability == .machine { await exchange.uplink?.secure(name) }
        return (id.withLock { $0 }, result)
    }

    /// A request id is journaled, and answered with.
    package static let requestByteLimit = 1024

    /// Why no journal could hold what comes from outside; nil when it can.
    private static func excess(of payload: [UInt8], _ request: String) -> Failure? {
        if payload.count > WireRecord.payloadByteLimit {
            return .coding("the payload has \(payload.count) bytes, the limit is \(WireRecord.payloadByteLimit); send a reference instead")
        }
        guard request.utf8.count > requestByteLimit else { return nil }
        return .coding("the request's id has \(request.utf8.count) bytes, the limit is \(requestByteLimit); ask under a shorter one")
    }

    /// Waits for an effect of an earlier life of the node that was not settled then; nil when it has been since, or is awaited already.
    package func awaitRecovered(_ effect: EffectID, deadline: Duration?, awaiting: Awaiting = .present) async -> ActionResult? {
        await exchange.awaitRecovered(effect, patience: deadline ?? defaultDeadline, awaiting: awaiting)
    }
}
