internal import PaymentReluxInt
internal import Relux
internal import ReluxOrchestration
internal import Synchronization

extension CommerceOrchestration {
    /// Looks after refunds: while Payment is there and has refunds due, asks it again at each tick.
    ///
    /// It keeps nothing: Payment knows its due refunds, through crashes and upgrades, and its snapshots tell them.
    @MainActor
    final class Refunds {
        private let monitor: MonitorOrchestrator
        // lint:allow orchestrator.state: whether this process's ticks have begun, which ends with it; nothing that a domain could own
        private nonisolated let hasBegun = Atomic(false)

        init(every interval: Duration, clock: Relux.NodeClock = .continuous) {
            monitor = MonitorOrchestrator(interval: interval, OrchestratorSettings(clock: clock))
            monitor.register(
                ActionBlock(
                    "commerce.retryRefunds", priority: .low, shouldRun: { await Self.isAnyDue },
                    // The round may outlast the wait; if asked again meanwhile, Payment refunds nothing twice.
                    execute: { await Relux.Dispatcher.current.actions { Payment.Business.Effect.retryRefunds } }))
        }

        /// Starts with the first effect that the module hears, for it can dispatch there. No effect waits for the main actor.
        nonisolated func begin() {
            guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
            Task { @MainActor [monitor] in monitor.start() }
        }

        private static var isAnyDue: Bool {
            guard let payment = Relux.Dispatcher.current.view(of: Payment.Business.Snapshot.self), !payment.isStale else { return false }
            return payment.latest?.due.isEmpty == false
        }
    }
}
