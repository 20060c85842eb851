import Synchronization

/// Where other threads leave events for the supervisor's own.
final class SupervisorInbox: Sendable {
    private struct Content {
        var events: [SupervisorMachine.Event] = []
        var wake: (@Sendable () -> Void)?
    }
    private let content = Mutex(Content())

    func post(_ event: SupervisorMachine.Event) {
        let wake = content.withLock { content in
            content.events.append(event)
            return content.wake
        }
        wake?()
    }

    /// From here on posts end the owner's wait.
    func open(wake: @escaping @Sendable () -> Void) {
        content.withLock { $0.wake = wake }
    }

    /// The wake pipe is about to close.
    func close() {
        content.withLock { $0.wake = nil }
    }

    func takeAll() -> [SupervisorMachine.Event] {
        content.withLock { content in
            defer { content.events = [] }
            return content.events
        }
    }
}
