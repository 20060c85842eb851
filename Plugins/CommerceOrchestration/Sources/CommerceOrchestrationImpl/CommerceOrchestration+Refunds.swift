internal import PaymentReluxInt
internal import Relux
internal import ReluxOrchestration
internal import Synchronization

extension CommerceOrchestration {
    /// Looks after what has to be given back: while Payment is there and says that something is due, it is asked again at each tick.
    ///
    /// It keeps nothing: what is due is Payment's to know, over crashes and upgrades, and its snapshots say so.
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
                    // It may take longer than anybody waits; asked again meanwhile, Payment does nothing twice.
                    execute: { await Relux.Dispatcher.current.actions { Payment.Business.Effect.retryRefunds } }))
        }

        /// With the first effect that the module hears, such as that it is ready itself: there it can dispatch. No effect waits for the main actor.
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
