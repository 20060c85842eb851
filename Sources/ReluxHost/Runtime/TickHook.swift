import Synchronization

/// The work of the receiving thread ten times a second, known only when all is put together.
///
/// Design notes. The closure is the property of a struct, and the struct is the mutex's value. As the value itself the closure would be wrapped
/// once more at each access (`state.closure`), and a host that ticks for hours would end by an overflow of its stack.
final class TickHook: Sendable {
    private struct Hook {
        var body: (@Sendable () -> Void)?
    }
    private let hook = Mutex(Hook())

    func attach(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0.body = body } }
    func run() { hook.withLock { $0.body }?() }
}
