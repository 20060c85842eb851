package import Relux
import ReluxControl
package import ReluxPlugin

/// A module that goes from one process to another.
extension BusCore {
    /// This process may serve the module soon: connects to its publishers and its listeners, so that its joining takes no longer than a marker.
    package mutating func standBy(_ declaration: ModuleDeclaration, now: Duration) -> [Action] {
        guard locals[declaration.id] == nil else { return [] }
        standbys[declaration.id] = declaration
        return refresh(now: now)
    }

    package mutating func standDown(_ module: ModuleID, now: Duration) -> [Action] {
        guard standbys.removeValue(forKey: module) != nil else { return [] }
        return refresh(now: now)
    }

    /// The module's life here is over. Its successor serves from the journal what it has said, so nobody is waited for; this process stands by.
    package mutating func handOver(_ declaration: ModuleDeclaration, now: Duration) -> [Action] {
        let module = declaration.id
        // Nothing that this life said while it was held was ever accepted; a next one gives out the same numbers.
        early.forget(module)
        writeSnapshots(of: module)
        guard let ledger = locals[module]?.ledger else { return [.left(module)] + standBy(declaration, now: now) }
        purge(module)
        standbys[module] = declaration
        return [.handedOver(module, ledger)] + refresh(now: now)
    }

    /// Accepts now what the module said while it was held.
    package mutating func open(_ module: ModuleID, now: Duration) -> [Action] {
        guard let place = locals.index(forKey: module), within(place, { $0.isHeld }) else { return [] }
        within(place) { $0.isHeld = false }
        return appendEarly(module, now: now)
    }

    /// In place, as in ``isHere(_:)``.
    func isHeld(_ module: ModuleID) -> Bool { locals.index(forKey: module).map { locals.values[$0].isHeld } ?? false }

    mutating func deliver(_ effect: EffectRecord, _ stream: StreamID, to recipient: ModuleID) -> Action {
        var life: UInt64 = 0
        if let place = locals.index(forKey: recipient) { life = within(place) { $0.life } }
        return .deliver(effect, publisher: stream.publisher, topic: stream.topic, to: recipient, life: life)
    }

    /// Whether this life of the module is the one that counts here.
    ///
    /// - Parameter count: how much that life has said; counted as stale when the life does not count.
    mutating func isCurrent(_ life: UInt64, of module: ModuleID, count: Int = 1) -> Bool {
        guard life != 0, let place = locals.index(forKey: module) else { return true }
        // In place: a copy of the local would be one of its ledger.
        let current = within(place) { $0.life }
        if current == 0 || current == life { return true }
        counters.staleLife += UInt64(count)
        return false
    }
}
