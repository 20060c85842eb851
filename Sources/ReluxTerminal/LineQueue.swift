/// The queue of the lines that a person types: worked off one at a time, in order, while more may be typed.
///
/// Decided without a terminal, a clock or a task.
struct LineQueue {
    enum Event {
        case line(String)
        /// The line that was entered is done.
        case done
        /// There will be no more lines.
        case closed
    }

    enum Answer: Equatable {
        case nothing
        case enter(String)
        case end
    }

    /// The line that ends the session. Typed behind others it waits for them; typed twice it waits for nothing.
    let leave: String
    private var running: String?
    private var waiting: [String] = []
    private var isLeaving = false
    private var isClosed = false

    init(leave: String) { self.leave = leave }

    mutating func on(_ event: Event) -> Answer {
        switch event {
        case .line(leave):
            if isLeaving { return .end }
            isLeaving = true
        case .line(let line):
            // A line that is typed behind the end is not carried out.
            if !isLeaving { waiting.append(line) }
        case .done: running = nil
        case .closed: isClosed = true
        }
        guard running == nil else { return .nothing }
        guard let next = waiting.first else { return isLeaving || isClosed ? .end : .nothing }
        waiting.removeFirst()
        running = next
        return .enter(next)
    }

    /// A notice to the person about what they typed; nil while nothing waits.
    var notice: String? {
        guard let running else { return nil }
        if isLeaving { return "waits for '\(running.prefix(40))'; '\(leave)' again leaves at once" }
        return waiting.isEmpty ? nil : "\(waiting.count) more behind '\(running.prefix(40))'"
    }
}
