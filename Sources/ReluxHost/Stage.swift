import Relux
import ReluxWire
import Synchronization

/// Runs a user interface once, when its module is ready, and asks for the process's end when it has returned.
final class Stage: Sendable {
    private struct State {
        var hasEntered = false
        var end: (@Sendable (Int32) -> Void)?
        var status: Int32 = 0
    }
    private let state = Mutex(State())
    private let interface: @MainActor @Sendable (Relux.Dispatcher) async -> Int32

    init(_ interface: @escaping @MainActor @Sendable (Relux.Dispatcher) async -> Int32) { self.interface = interface }

    /// The status that the interface has returned; 0 before that.
    var status: Int32 { state.withLock { $0.status } }

    func onEnd(_ end: @escaping @Sendable (Int32) -> Void) { state.withLock { $0.end = end } }

    /// Without effect after the first time: a module may become ready again.
    func enter(_ module: ModuleID, _ dispatcher: Relux.Dispatcher) {
        let isFirst = state.withLock { state in
            defer { state.hasEntered = true }
            return !state.hasEntered
        }
        guard isFirst else { return }
        // It lasts as long as a person looks at it; the host's orders are worked off beside it.
        Task { @MainActor [interface] in
            let status = await interface(dispatcher)
            self.state.withLock { state in
                state.status = status
                return state.end
            }?(status)
        }
    }
}
