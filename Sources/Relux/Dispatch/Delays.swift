import ReluxWire
import Synchronization

extension Relux {
    /// Batches that sleep in their `delay:`. No journal has them, so the end of their module is told to each: it is refused then, while the
    /// module still has a journal to say so.
    final class Delays: Sendable {
        fileprivate struct Sleeper: Sendable {
            var batch: [any Relux.Action]
            var scope: Scope
            var label: String
            var site: Site
            var sleep: Task<Void, any Error>
        }
        fileprivate struct Table: Sendable {
            var sleepers: [UInt64: Sleeper] = [:]
            var last: UInt64 = 0
            /// Modules whose delays have been ended, and that have not begun another life here.
            var closed: Set<ModuleID> = []
        }

        private let table = Mutex(Table())

        /// Sleeps; why nothing is sent afterwards, which is counted and written by then: the caller was cancelled, or the module has left.
        nonisolated(nonsending) func sleep(
            _ delay: Duration, before batch: [any Relux.Action], in scope: Scope, label: String, site: Site
        ) async -> Failure? {
            let clock = scope.node.clock
            let end = clock.now() + delay
            // A task of its own: the module's end ends the sleep, and not what the caller does besides.
            let sleep = Task { try await clock.sleep(until: end) }
            let sleeper = Sleeper(batch: batch, scope: scope, label: label, site: site, sleep: sleep)
            guard let number = table.withLock({ $0.add(sleeper) }) else { return sleeper.refuse(.left(scope.module.rawValue)) }
            let isOver = await withTaskCancellationHandler { (try? await sleep.value) != nil } onCancel: { sleep.cancel() }
            guard table.withLock({ $0.sleepers.removeValue(forKey: number) }) != nil else { return .left(scope.module.rawValue) }
            return isOver && !Task.isCancelled ? nil : sleeper.refuse(.cancelled)
        }

        /// The module has come to its end: what still sleeps is refused, in the order in which it was said, and so is what comes.
        func close(_ module: ModuleID) {
            let sleepers = table.withLock { table in
                table.closed.insert(module)
                return table.sleepers.keys.sorted().compactMap { number in
                    table.sleepers[number]?.scope.module == module ? table.sleepers.removeValue(forKey: number) : nil
                }
            }
            for sleeper in sleepers { _ = sleeper.refuse(.left(module.rawValue)) }
        }

        func open(_ module: ModuleID) { table.withLock { _ = $0.closed.remove(module) } }
    }
}

extension Relux.Delays.Table {
    /// Nil when the module has come to its end.
    fileprivate mutating func add(_ sleeper: Relux.Delays.Sleeper) -> UInt64? {
        guard !closed.contains(sleeper.scope.module) else { return nil }
        last += 1
        sleepers[last] = sleeper
        return last
    }
}

extension Relux.Delays.Sleeper {
    fileprivate func refuse(_ failure: Relux.Failure) -> Relux.Failure {
        sleep.cancel()
        for action in batch { scope.node.refuseAndLog(action, in: scope, label: label, site: site, failure) }
        return failure
    }
}
