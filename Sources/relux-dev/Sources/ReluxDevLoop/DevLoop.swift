import Foundation
import Glibc

/// Runs what the machine decides: watches the sources, starts programs, ends them.
///
/// ``run()`` is called once, and blocks its thread. ``interrupt()`` may be called from any thread.
package final class DevLoop: Sendable {
    private let plan: DevPlan
    private let options: DevMachine.Options
    private let report: @Sendable (DevReport) -> Void
    private let inbox: Inbox

    /// - Parameter report: called on the thread of ``run()``.
    /// - Throws: `dev.watch`.
    package init(_ plan: DevPlan, _ options: DevMachine.Options, report: @escaping @Sendable (DevReport) -> Void) throws(DevLoopError) {
        self.plan = plan
        self.options = options
        self.report = report
        inbox = try Inbox()
    }

    /// Lets ``run()`` end what it has begun, and return. A second time it ends it by force.
    package func interrupt() { inbox.post(.interrupted) }

    /// - Returns: 0, what the step that failed says as `relux` would, or ``DevMachine/interruptedStatus``.
    /// - Throws: `dev.watch` when the sources cannot be watched, `dev.start` when a program cannot be started.
    package func run() throws(DevLoopError) -> Int32 {
        var session = Session(plan: plan, machine: DevMachine(options), inbox: inbox, report: report)
        // Before the first round, so that no change is missed.
        let watch = options.isOnce ? nil : try SourceWatch(packages: plan.packages)
        do throws(DevLoopError) {
            try session.tell(.begin)
            while session.status == nil {
                var watched = [inbox.descriptor, watch?.descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&watched, 2, session.patience)
                // Changes last: what a program has written that is told to have ended is among them.
                let messages = inbox.take()
                let isChanged = session.matters(try watch?.changes() ?? [])
                for message in messages { try session.take(message) }
                if isChanged { try session.tell(.changed) }
                try session.tell(.tick)
            }
        } catch {
            session.endAll()
            throw error
        }
        return session.status ?? 0
    }
}

/// The loop's state while it runs, for one thread.
private struct Session {
    let plan: DevPlan
    var machine: DevMachine
    let inbox: Inbox
    let report: @Sendable (DevReport) -> Void
    /// The status that the loop ends with, when it does.
    var status: Int32?
    private var round = 0
    private var running: (step: DevStep, process: StepProcess, since: ContinuousClock.Instant)?
    /// It was asked to end.
    private var isEnding = false

    init(plan: DevPlan, machine: DevMachine, inbox: Inbox, report: @escaping @Sendable (DevReport) -> Void) {
        self.plan = plan
        self.machine = machine
        self.inbox = inbox
        self.report = report
    }

    /// For `poll`: until the deadline, in milliseconds.
    var patience: Int32 {
        guard let deadline = machine.deadline else { return -1 }
        return Int32(clamping: Int((ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)).clamped)
    }

    /// Whether what has changed, and was not heard of before, is no step's own doing.
    func matters(_ changes: [String]) -> Bool {
        guard running?.step == .generate else { return !changes.isEmpty }
        return changes.contains { !SourcePath.isGenerated($0) }
    }

    mutating func take(_ message: Inbox.Message) throws(DevLoopError) {
        switch message {
        case .interrupted: try tell(.interrupted)
        case .ended(let status): try tell(.ended(finish(status)))
        }
    }

    mutating func tell(_ event: DevMachine.Event) throws(DevLoopError) {
        for action in machine.on(event, now: .now) { try perform(action) }
    }

    /// Leaves no program behind.
    func endAll() { running?.process.killLeftovers() }

    private mutating func perform(_ action: DevMachine.Action) throws(DevLoopError) {
        switch action {
        case .beginRound(let number):
            round = number
            report(.begun(round: number))
        case .start(let step): try start(step)
        case .end(_, let byForce):
            running?.process.signal(byForce ? SIGKILL : SIGTERM)
            isEnding = true
        case .endRound(let end): report(.ended(round: round, end))
        case .wait: report(.waiting)
        case .exit(let status): self.status = status
        }
    }

    private func log(_ step: DevStep) -> String { "\(plan.logs)/\(step.rawValue).log" }

    private mutating func start(_ step: DevStep) throws(DevLoopError) {
        guard let command = plan.commands[step] else {
            throw DevLoopError("dev.start", "there is no program for \(step.rawValue)", hint: "build relux-dev again", status: 1)
        }
        try? FileManager.default.createDirectory(atPath: plan.logs, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: log(step), contents: nil) else {
            throw DevLoopError("dev.log", "\(log(step)) cannot be written", hint: "check the folder's rights and the disk", status: 1)
        }
        let process = try StepProcess(command, log: log(step)) { [inbox] status in inbox.post(.ended(status: status)) }
        running = (step, process, .now)
        isEnding = false
    }

    private mutating func finish(_ status: Int32) -> StepEnd {
        guard let (step, process, since) = running else { return .failed(status: 1) }
        running = nil
        // These processes did not end with their parent. The other steps may mean something to stay: `relux` talks to the cluster.
        if isEnding || [.generate, .build, .lint, .test].contains(step) { process.killLeftovers() }
        let text = String(decoding: FileManager.default.contents(atPath: log(step)) ?? Data(), as: UTF8.self)
        let end = StepReading.end(of: step, status: status, text)
        report(
            .step(
                StepReport(
                    round: round, step: step, end: isEnding ? nil : end, duration: since.duration(to: .now),
                    note: isEnding ? "" : StepReading.note(step, text), errors: StepReading.errors(step, text), log: log(step))))
        return end
    }
}

extension Int {
    /// Not negative: for `poll` that means no limit.
    fileprivate var clamped: Int { Swift.max(0, self) }
}
