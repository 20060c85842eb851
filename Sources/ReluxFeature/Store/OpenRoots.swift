/// The open work of each action that was sent from outside: actions that wait in the queue, and effects that run.
///
/// Apart from the runtime, so that a wait for an action does not keep the runtime and its effects alive.
@MainActor
final class OpenRoots {
    private var open: [UInt64: Int] = [:]
    private var waiting: [UInt64: [CheckedContinuation<Void, Never>]] = [:]

    func begin(_ root: UInt64) { open[root, default: 0] += 1 }

    func end(_ root: UInt64) {
        guard let count = open[root] else { return }
        guard count == 1 else {
            open[root] = count - 1
            return
        }
        open[root] = nil
        waiting.removeValue(forKey: root)?.forEach { $0.resume() }
    }

    func endAll() {
        open = [:]
        let all = waiting
        waiting = [:]
        for continuation in all.values.joined() { continuation.resume() }
    }

    func isOpen(_ root: UInt64) -> Bool { open[root] != nil }

    /// Returns when nothing is open of this action.
    func wait(for root: UInt64) async {
        guard isOpen(root) else { return }
        await withCheckedContinuation { waiting[root, default: []].append($0) }
    }
}
