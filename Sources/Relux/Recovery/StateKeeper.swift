import ReluxWire
import Synchronization

extension Relux {
    /// Captures a module's restorable states together with the settlements that depend on them.
    ///
    /// Design notes. All reductions of these states and all readings take turns (``ReductionLock``), so a reading is a moment between
    /// two reductions. Settlements wait for one worker task, which takes all that wait, reads once what has changed and hands
    /// both to the uplink; the handler's slot is free meanwhile. In a serial module the reading is done before its next handler
    /// starts, so that no action of an unsettled handler is in it. What was handed over is taken for journaled: an uplink that
    /// cannot journal it has to hold it back or to end the process.
    final class StateKeeper: Sendable {
        let module: ModuleID
        let isSerial: Bool
        private let life: UInt64
        private let handles: [RestorableHandle]
        private let places: [ObjectIdentifier: Int]
        private let uplink: any Uplink
        private let countFailed: @Sendable (UInt64) -> Void
        private let settling: @Sendable ([EffectID], () -> Void) -> Void
        let lock = ReductionLock()
        private let book: Mutex<CaptureBook>
        private let idleWaiters = Mutex<[UnsafeContinuation<Void, Never>]>([])
        private let isRestCaptured = Mutex(false)

        /// - Parameters:
        ///   - recorded: what the journal has of the states, by name.
        ///   - life: of the module in this process.
        ///   - countFailed: told how many effects failed after their handlers had succeeded.
        ///   - settling: called with what is about to be settled; queues that by what it is given.
        init(
            _ handles: [RestorableHandle], recorded: [String: CapturedState], module: ModuleID, isSerial: Bool, life: UInt64 = 0,
            uplink: any Uplink, countFailed: @escaping @Sendable (UInt64) -> Void,
            settling: @escaping @Sendable ([EffectID], () -> Void) -> Void
        ) {
            self.module = module
            self.isSerial = isSerial
            self.life = life
            self.handles = handles
            self.uplink = uplink
            self.countFailed = countFailed
            self.settling = settling
            places = handles.indices.reduce(into: [:]) { $0[handles[$1].identity] = $1 }
            book = Mutex(
                CaptureBook(
                    entries: handles.map { handle in
                        let last = recorded[handle.name]
                        return .init(
                            name: handle.name, version: handle.version, last: last, reduced: Set(last?.reduced ?? []),
                            // Migrated: the record of today's version goes with the next settlement.
                            isDirty: last.map { $0.version != handle.version } ?? false)
                    }))
        }

        // MARK: Reducing

        /// The effect reaches the module's states; one whose value has it already is spared.
        func reduce(_ effect: any Relux.Effect, of id: EffectID, isTransient: Bool = false, by states: [any BusinessState]) async {
            book.withLock { $0.began(id) }
            await inTurn(with: effect, states) { state in
                guard let place = places[ObjectIdentifier(state)] else { return await state.reduce(with: effect) }
                if book.withLock({ $0.reduces(id, index: place, isTransient: isTransient) }) { await state.reduce(with: effect) }
            }
        }

        /// A plain action; true when some state accepted it.
        func reduce(_ action: any Relux.Action, by states: [any BusinessState]) async -> Bool {
            let cause = Scope.current.flatMap { $0.module == module ? $0.handler?.effect : nil }
            return await inTurn(with: action, states) { state in
                if let place = places[ObjectIdentifier(state)] { book.withLock { $0.touches(place, cause: cause) } }
                await state.reduce(with: action)
            }
        }

        func cleanUp(_ state: any BusinessState) async {
            guard let place = places[ObjectIdentifier(state)] else { return await state.cleanup() }
            await lock.withTurn {
                book.withLock { $0.touches(place, cause: nil) }
                await state.cleanup()
            }
        }

        /// An action that concerns no restorable state waits for nothing.
        @discardableResult
        private func inTurn(
            with action: any Relux.Action, _ states: [any BusinessState], _ body: (any BusinessState) async -> Void
        ) async -> Bool {
            let accepting = states.filter { Store.accepts($0, action) }
            guard accepting.contains(where: { places[ObjectIdentifier($0)] != nil }) else {
                for state in accepting { await body(state) }
                return !accepting.isEmpty
            }
            await lock.withTurn { for state in accepting { await body(state) } }
            return true
        }

        // MARK: Settling

        /// In a serial module: the handler has ended and the next one has not begun.
        func handlerEnded(_ effect: EffectID) async {
            await lock.withTurn {
                guard let readings = await read() else { return }
                book.withLock { $0.keep(readings, for: effect) }
            }
        }

        func settled(_ settled: Settled) {
            guard book.withLock({ $0.add(settled) }) else { return }
            // Detached: it works for all that settle meanwhile, not for this handler.
            Task.detached { [self] in await work() }
        }

        /// Returns when all that has settled so far is handed over, at the latest when `clock` says `deadline`. What settles
        /// afterwards is not: it is unsettled for whoever comes next.
        func close(by deadline: Duration, on clock: NodeClock) async {
            book.withLock { $0.close() }
            await waitForRelease(by: deadline, on: clock) { !book.withLock { $0.isAtWork } }
        }

        /// The states are about to be cleaned up: nothing is captured any more, nor settled that would need it.
        func retire() { book.withLock { $0.retire() } }

        /// - Parameter isDone: nobody will release the waiter any more; asked when it is in place, and when it was released, for all who wait are.
        private func waitForRelease(by deadline: Duration, on clock: NodeClock, unless isDone: () -> Bool) async {
            repeat { await waitOnce(by: deadline, on: clock, unless: isDone) } while !isDone() && clock.now() < deadline
        }

        private func waitOnce(by deadline: Duration, on clock: NodeClock, unless isDone: () -> Bool) async {
            var expiry: Task<Void, any Error>?
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                idleWaiters.withLock { $0.append(continuation) }
                if isDone() { return releaseIdleWaiters() }
                // Not before the waiter is in place: a deadline that has passed by then would wake nobody.
                expiry = Task { [weak self] in
                    try await clock.sleep(until: deadline)
                    self?.releaseIdleWaiters()
                }
            }
            expiry?.cancel()
        }

        private func releaseIdleWaiters() {
            let waiters = idleWaiters.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        private func work() async {
            while true {
                let taken: (batch: [CaptureBook.Waiting], readings: [CaptureBook.Reading])? = await lock.withTurn {
                    let batch = book.withLock { $0.take() }
                    if batch.isEmpty { return nil }
                    if isSerial { return (batch, Self.latest(batch)) }
                    return await read().map { (batch, $0) }
                }
                guard let (batch, readings) = taken else { return releaseIdleWaiters() }
                let encoded = readings.map { (reading: $0, bytes: $0.encode()) }
                var resolved = book.withLock { $0.resolve(batch.map(\.settled), encoded) }
                let failed = zip(batch, resolved.batch).count { $0.settled.result.isSuccess && $1.result.isFailure }
                if failed > 0 { countFailed(UInt64(failed)) }
                for index in resolved.batch.indices { resolved.batch[index].coded = uplink.coded(resolved.batch[index].result) }
                settling(resolved.batch.map(\.id)) {
                    uplink.settled(resolved.batch, capturing: resolved.states, of: module, life: life)
                }
                uplink.go(last: true)
            }
        }

        // MARK: Handing over

        /// Captures what was reduced since the last settlement, behind ``close(by:on:)``; gives up when `clock` says `deadline`, and
        /// the last capture stands then.
        func captureRest(by deadline: Duration, on clock: NodeClock) async {
            // Detached: a reducer that never ends must not hold the hand-over up. What it hands over later is of a past life.
            Task.detached { [self] in
                await lock.withTurn {
                    guard let encoded = await read()?.map({ (reading: $0, bytes: $0.encode()) }) else { return }
                    let states = book.withLock { $0.resolve([], encoded).states }
                    if !states.isEmpty { hand(over: states) }
                }
                isRestCaptured.withLock { $0 = true }
                releaseIdleWaiters()
            }
            await waitForRelease(by: deadline, on: clock) { isRestCaptured.withLock { $0 } }
        }

        /// Captures the named states once more, each in the shape of that older version: the build that comes next reads no other.
        ///
        /// - Throws: what `older` throws, or `migration` for a version that the state does not know; nothing is captured then.
        func capture(older versions: [String: UInt32]) throws {
            var states: [CapturedState] = []
            for (name, version) in versions.sorted(by: { $0.key < $1.key }) {
                guard let index = handles.firstIndex(where: { $0.name == name }), let last = book.withLock({ $0.entries[index].last }),
                    last.version != version
                else { continue }
                guard last.version == handles[index].version, handles[index].olderVersions.contains(version) else {
                    throw Failure(
                        domain: Failure.domainName, code: "migration",
                        message: "\(name) cannot be turned from version \(last.version) into version \(version); let its `olderVersions` name it")
                }
                let bytes = try handles[index].older(last, version)
                if let failure = CaptureBook.excess(of: bytes, in: name, reduced: last.reduced) { throw failure }
                states.append(CapturedState(name: name, version: version, bytes: bytes, reduced: last.reduced))
            }
            if !states.isEmpty { hand(over: states) }
        }

        private func hand(over states: [CapturedState]) {
            uplink.settled([], capturing: states, of: module, life: life)
            uplink.go(last: true)
        }

        /// The present value of each state that something was reduced into; nil when the states are being cleaned up. Only inside a turn.
        private func read() async -> [CaptureBook.Reading]? {
            var readings: [CaptureBook.Reading] = []
            for index in book.withLock({ $0.due() }) {
                let encode = await handles[index].read()
                guard let reading = book.withLock({ $0.reading(index, encode) }) else { return nil }
                readings.append(reading)
            }
            return readings
        }

        /// The last reading of each state.
        private static func latest(_ batch: [CaptureBook.Waiting]) -> [CaptureBook.Reading] {
            var latest: [Int: CaptureBook.Reading] = [:]
            for reading in batch.flatMap({ $0.readings ?? [] }) { latest[reading.index] = reading }
            return latest.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
