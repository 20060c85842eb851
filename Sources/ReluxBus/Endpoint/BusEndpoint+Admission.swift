package import Relux
package import ReluxControl
import ReluxLedger
import Synchronization

extension BusEndpoint {
    /// Waits until there is room for one more effect of a source: what a handler does not say.
    ///
    /// There is none while the queue of this process, or what is unsettled at a recipient, is over its limit, or the disk has less than its
    /// reserve.
    /// - Returns: the refusal when there was no room before the deadline; nothing was accepted then.
    package func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? {
        while let obstacle = obstacle(to: topic) {
            guard deadline > clock.now() else {
                return Relux.ActionResult(outcomes: [
                    .init(recipient: .init(module: obstacle), status: .refused, failure: overload(at: obstacle))
                ])
            }
            await waitForRoom(at: obstacle, until: deadline)
        }
        return nil
    }

    package func hasRoom(for topic: Topic) -> Bool { obstacle(to: topic) == nil }

    private func overload(at obstacle: ModuleID) -> Relux.Failure {
        guard let trouble = disk?.room.trouble, intake.withLock({ $0.isShort }) else { return .overloaded(obstacle.rawValue) }
        return .overloaded(disk: trouble)
    }

    /// The module that has no room; this host's own name when the queue or the disk has none.
    private func obstacle(to topic: Topic) -> ModuleID? {
        let (isFull, overloaded) = intake.withLock { ($0.isFull || $0.isShort, $0.overloaded) }
        if isFull { return BusCore.speaker(of: host) }
        if overloaded.isEmpty { return nil }
        return endpoint.withLock { endpoint in
            overloaded.sorted().first { endpoint.core.membership.members[$0]?.handles.contains(topic) == true }
        }
    }

    private func waitForRoom(at obstacle: ModuleID, until deadline: Duration) async {
        let id = intake.withLock { $0.nextWaiter() }
        let clock = clock
        var expiry: Task<Void, any Error>?
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let hasRoom = intake.withLock { intake in
                let isOwn = obstacle == BusCore.speaker(of: host)
                if isOwn ? !intake.isFull && !intake.isShort : !intake.overloaded.contains(obstacle) { return true }
                intake.add(continuation, as: id)
                return false
            }
            if hasRoom { return continuation.resume() }
            // Ends the wait at the deadline; behind the waiter, or it might find none. Cancelled when there is room before.
            expiry = Task { [weak self] in
                try await clock.sleep(until: deadline)
                self?.intake.withLock { $0.release(id) }?.resume()
            }
        }
        expiry?.cancel()
    }

    /// Called every now and then by a thread that may wait for a disk: sources wait from now on, or go on.
    package func lookAtDisk() {
        guard let isShort = disk?.look(now: clock.now()) else { return }
        for waiter in intake.withLock({ $0.setShort(isShort) }) { waiter.resume() }
    }

    /// Why what this process says has to wait for a disk, a note each; empty when it does not.
    package var diskTroubles: [ClusterNote] {
        [endpoint.withLock { $0.trouble }, disk?.room.trouble.map { ClusterNote(.disk, $0) }].compactMap(\.self)
    }
}
