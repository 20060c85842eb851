package import ReluxWire
import Synchronization

extension Relux.Exchange {
    /// False when the name is taken.
    func add(_ party: Relux.Party, recovering recovery: Relux.Recovery? = nil) -> Bool {
        let now = clock.now()
        let isAdded = state.withLock { state in
            guard state.add(party) else { return false }
            if let recovery { state.expect(recovery, now: now) }
            return true
        }
        if isAdded { delays.open(party.id) }
        return isAdded
    }

    func epoch(of id: ModuleID) -> Epoch { Epoch(start: state.withLock { state in state.parties.read(id) { $0.numbers.start } } ?? 0) }

    func place(of id: ModuleID) -> UInt64? { state.withLock { $0.place(of: id) } }

    func countFailed(_ count: UInt64, of id: ModuleID) { state.withLock { $0.count(id) { $0.failed += count } } }

    /// Returns when the party's settlements are handed over with its states, at the latest after the limit.
    func closeKeeper(of id: ModuleID, within limit: Duration) async {
        await keeper(of: id)?.close(by: clock.now() + limit, on: clock)
    }

    func keeper(of id: ModuleID) -> Relux.StateKeeper? { state.withLock { state in state.parties.read(id) { $0.lasting.keeper } ?? nil } }

    /// In order of registration.
    package var parties: [ModuleID] { state.withLock { $0.order } }

    /// Lets the party's queue run.
    package func open(_ id: ModuleID) {
        let now = clock.now()
        let (kick, hasSuspects): (Relux.Seat?, Bool) = state.withLock { state in
            guard let seat = state.parties.seat(of: id), seat.party.admission == .held else {
                // A party that is leaving is not opened again.
                return (nil, false)
            }
            seat.party.admission = .open
            seat.party.suspicion?.begin(now: now)
            return (seat.party.wantsDrain() ? seat : nil, seat.party.suspicion != nil)
        }
        if let kick { startDrain(kick) }
        if hasSuspects { awaitSuspects(of: id) }
    }

    /// Stops admission and returns when what was queued has been handled, at the deadline, or when the process ends and nothing in it can go on;
    /// true when nothing is left.
    /// Effects that come from elsewhere afterwards are not started and stay unsettled. Dispatches of the module that still sleep in a delay are refused.
    ///
    /// - Parameter yields: a successor handles what is queued and has not begun. After ``end()`` what runs in any party counts.
    package func drain(_ id: ModuleID, within limit: Duration, yields: Bool = false) async -> Bool {
        let (clock, end) = (clock, clock.now() + limit)
        var expiry: Task<Void, any Error>?
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isIdle = state.withLock { state in
                if yields {
                    let others = state.isEnding ? state.running : []
                    // A party that leaves for good finishes all that it has.
                    state.parties.update(id) { if $0.admission != .closed { $0.yield(others: others) } }
                } else {
                    state.close(id)
                }
                guard state.parties.contains(id), !state.isIdle(id) else { return true }
                state.parties.update(id) { $0.idleWaiters.append(continuation) }
                return false
            }
            guard !isIdle else { return continuation.resume() }
            // Not before the waiter is in place: a limit that has passed by then would wake nobody.
            expiry = Task { [weak self] in
                try await clock.sleep(until: end)
                self?.stopWaiting(for: id)
            }
        }
        expiry?.cancel()
        let (isIdle, reports) = state.withLock { $0.parties.read(id) { ($0.isIdle, $0.reports) } ?? (true, nil) }
        // A party that has just become idle may not have reported its last settlement yet.
        if isIdle { await reports?.wait() }
        delays.close(id)
        return isIdle
    }

    /// The process is about to end: every party finishes what runs in any of them, and what that waits for, but for handlers that wait for modules
    /// which have lost their processes. ``drain(_:within:yields:)`` of each
    /// follows, all at once.
    package func end() { state.withLock { $0.end() } }

    /// Takes the party away. What pended on it settles as lost in a node that stands alone; in a cluster it waits for the module's next
    /// instance.
    package func remove(_ id: ModuleID) { remove(id, handsOver: false) }

    /// The same for a module that goes on in another process: what its handlers still wait for is answered there.
    package func handOver(_ id: ModuleID) { remove(id, handsOver: true) }

    private func remove(_ id: ModuleID, handsOver: Bool) {
        let (abandoned, left) = state.withLock { state in
            (handsOver ? state.abandon(id) : [], state.remove(id, loses: uplink == nil))
        }
        for resumption in abandoned + left.lost { resume(resumption) }
        for waiter in left.idle { waiter.resume() }
        for waiter in left.unmade { waiter.resume(returning: .ended) }
        // The work of these drains does not count any more; with the process's other modules they may live long.
        for drain in left.running { drain.cancel() }
    }

    func beginLife() -> UInt64 { state.withLock { $0.beginLife() } }

    /// Each ``drain(_:within:yields:)`` of the module ends as if its limit had passed.
    package func stopWaiting(for id: ModuleID) {
        let waiters = state.withLock { $0.parties.update(id) { $0.takeIdleWaiters() } ?? [] }
        for waiter in waiters { waiter.resume() }
    }
}
