import ReluxWire
import Synchronization

extension Relux.Exchange {
    /// Asks for the turn to make the value of that name in the running handler; waits while another one makes it.
    func ask(
        _ name: String, in handler: Relux.Scope.Handler, of module: ModuleID
    ) async -> Relux.KeptValues.Turn {
        await withUnsafeContinuation { waiter in
            let turn: Relux.KeptValues.Turn?? = state.withLock { state in
                state.parties.update(module) { party in
                    guard party.isRunning(handler) else { return .ended }
                    return party.lasting.kept.ask(handler.effect, name, waiter: waiter)
                }
            }
            // Not to be simplified: nil inside means that the waiter is kept, nil outside that the module is gone.
            switch turn {
            case .none: waiter.resume(returning: .ended)
            case .some(.none): break
            case .some(.some(let turn)): waiter.resume(returning: turn)
            }
        }
    }

    func made(_ name: String, _ bytes: [UInt8], in handler: Relux.Scope.Handler, of module: ModuleID) {
        let waiters = state.withLock { state in
            // A life that is over has nothing to say about what the present one makes.
            state.parties.update(module) { $0.isRunning(handler) ? $0.lasting.kept.made(handler.effect, name, bytes) : [] } ?? []
        }
        for waiter in waiters { waiter.resume(returning: .kept(bytes)) }
    }

    func notMade(_ name: String, in handler: Relux.Scope.Handler, of module: ModuleID) {
        let next = state.withLock { state in
            state.parties.update(module) { $0.isRunning(handler) ? $0.lasting.kept.failed(handler.effect, name) : nil } ?? nil
        }
        next?.resume(returning: .make)
    }
}

extension Relux.Party {
    /// The handler runs, in this life.
    func isRunning(_ handler: Relux.Scope.Handler) -> Bool { runs[handler.run]?.effect == handler.effect }

    /// The run was begun in this life, and may be over.
    func began(_ run: UInt64) -> Bool { run >> 32 == life && run < nextRun }
}
