import Synchronization

/// What the receiving thread does ten times a second, known only when all is put together.
final class TickHook: Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    func attach(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }
    func run() { body.withLock { $0 }?() }
}
