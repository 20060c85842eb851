package import ReluxWire
import Synchronization

extension Relux.Exchange {
    /// A handler that has not ended and waits for no dispatch of its own.
    package struct OpenRun: Hashable, Sendable {
        package let module: ModuleID
        package let run: UInt64
        package let effect: EffectID

        package init(module: ModuleID, run: UInt64, effect: EffectID) {
            self.module = module
            self.run = run
            self.effect = effect
        }
    }

    /// In the order in which they began, module by module. What each does there is not known: it may wait for something else, or keep a thread.
    package func openRuns() -> [OpenRun] {
        state.withLock { state in
            state.order.flatMap { id -> [OpenRun] in
                guard let seat = state.parties.seat(of: id) else { return [] }
                return seat.look { party in
                    zip(party.runs.numbers, party.runs.all).filter { $1.awaiting == 0 }.map { OpenRun(module: id, run: $0, effect: $1.effect) }
                }
            }
        }
    }
}
