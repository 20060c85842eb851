import Foundation
import Glibc
import Logging
import ReluxControl
import ReluxWire

/// The one thread that owns the machine and the children; everybody else posts to the inbox.
final class SupervisorLoop {
    private let service: SupervisorService
    private let inbox: SupervisorInbox
    private var machine: SupervisorMachine
    private var children: ChildProcesses
    private var names: [Int32: SupervisorMachine.Child] = [:]
    /// Where in its log a process began to write.
    private var logBegins: [Int32: Int64] = [:]
    private var connected = false
    private var finished = false
    private var trimmedAt = Duration.zero
    private let place: SupervisorPlace
    private var herald: ServiceHerald
    private var lookedAt = Duration.zero
    /// Why it has to end although nobody has asked it to.
    private var loss: RunDirectoryError?

    /// The latest, for what is learned of them later.
    private var reports: [CrashReport] = []

    private static let trimInterval = Duration.seconds(10)
    private static let openReports = 32

    init(_ service: SupervisorService, inbox: SupervisorInbox, place: SupervisorPlace) throws(SpawnError) {
        self.service = service
        self.inbox = inbox
        self.place = place
        herald = ServiceHerald(service.manager)
        machine = SupervisorMachine(
            .init(pid: getpid(), instance: UUID().uuidString, declared: service.hosts, start: service.start), settings: service.settings)
        children = try ChildProcesses()
        inbox.open(wake: children.wake)
    }

    private var now: Duration { service.elapsed() }

    /// - Throws: `RunDirectoryError` when the supervisor had to end of itself; nothing is left then.
    func run() throws(RunDirectoryError) {
        warn(service.launch.directory.note(nil))
        warn(service.launch.directory.noteEnding(false))
        on(.begin)
        while !finished {
            let limit = [machine.deadline.map { $0 - now }, herald.limit].compactMap { $0 }.reduce(RunDirectoryWatch.interval, min)
            let ends = children.wait(limit: max(limit, .zero))
            herald.goRound(now)
            // Before a successor is started: it would make anew what is gone.
            lookAfterPlace(isDue: !ends.isEmpty)
            // The delay before the next start counts from the end, not from when its report, or another's, is written.
            let time = now
            for end in ends { ended(end, at: time) }
            for event in inbox.takeAll() {
                if case .order = event { herald.brokerAnswers() }
                if case .order(.inFlight(let host, let pid, let count, let effects)) = event {
                    complete(host, pid, count, effects)
                } else {
                    on(event)
                }
            }
            if let deadline = machine.deadline, deadline <= now { on(.tick) }
            trimLogs()
        }
        inbox.close()
        service.link.disconnect()
        endTheRest()
        warn(service.launch.directory.noteEnding(false))
        if let loss { throw loss }
    }

    /// - Parameter obstacle: what was in the way of a note to others; nil for nothing.
    private func warn(_ obstacle: String?) {
        guard let obstacle else { return }
        service.logger.warning("something was in the way of a note", metadata: ["relux.place": "\(obstacle)"])
    }

    /// Without the run directory, or beside another supervisor, there is nothing to supervise.
    private func lookAfterPlace(isDue: Bool) {
        guard loss == nil, isDue || now - lookedAt >= RunDirectoryWatch.interval else { return }
        lookedAt = now
        do {
            for line in try place.look() { service.logger.warning("something was taken away", metadata: ["relux.place": "\(line)"]) }
        } catch let error as RunDirectoryError where error.code == .lost || error.code == .alreadyRunning {
            service.logger.error("the supervisor ends", metadata: ["error": "\(error)"])
            loss = error
            on(.asked(signal: SIGTERM))
        } catch {
            service.logger.warning("something that was taken away cannot be made anew", metadata: ["error": "\(error)"])
        }
    }

    /// Says what happened, then does what the machine answers, spawns included, until there is nothing left to do.
    ///
    /// - Parameter time: when it happened, if that was a while ago.
    private func on(_ event: SupervisorMachine.Event, at time: Duration? = nil) {
        var events = [event]
        var time = time
        while !events.isEmpty {
            let wasRunning = machine.isRunning
            let actions = machine.on(events.removeFirst(), now: time ?? now)
            if wasRunning, !machine.isRunning {
                herald.stops()
                warn(service.launch.directory.noteEnding(true))
            }
            for action in actions { events += perform(action) }
            time = nil
        }
    }

    private func perform(_ action: SupervisorMachine.Action) -> [SupervisorMachine.Event] {
        switch action {
        case .spawn(let child): return spawn(child)
        case .signal(let pid, let signal):
            service.logger.info(
                "signal sent",
                metadata: metadata(pid, ["relux.signal": "\(ChildStatus.name(ofSignal: signal) ?? "\(signal)")"]))
            children.signal(pid, signal)
        case .tell(let message):
            if connected { service.link.send(.supervisor(message)) }
        case .note(let trouble): warn(service.launch.directory.note(trouble))
        case .finish: finished = true
        }
        return []
    }

    private func spawn(_ child: SupervisorMachine.Child) -> [SupervisorMachine.Event] {
        do {
            let spec = service.launch.spec(for: child)
            let begin = HostLog.end(of: spec.log)
            let pid = try children.spawn(spec)
            names[pid] = child
            logBegins[pid] = begin
            service.logger.notice("process started", metadata: metadata(pid))
            guard case .broker = child else { return [.spawned(child, pid: pid)] }
            connect()
            return [.spawned(child, pid: pid), .brokerConnected]
        } catch {
            service.logger.error("process not started", metadata: ["error": "\(error)"])
            return [.spawnFailed(child, why: error.description)]
        }
    }

    private func ended(_ end: ChildProcesses.End, at time: Duration) {
        // A host whose modules were all refused has nothing to do and says so: no death.
        let whyCut = machine.whyCut(end.pid)
        let isAsked = whyCut == nil && machine.expectsEnd(of: end.pid)
        let expected = isAsked || end.status.isOwnDecision
        let data = metadata(end.pid, ["relux.status": "\(end.status)"])
        // A process that ends in order has not crashed, even if nobody had told us to expect it.
        let charge = expected || end.status.isNobodysFault ? nil : charge(of: end.pid)
        let report = expected || end.status.isClean ? "" : writeReport(end, whyCut, charge)
        if expected || end.status.isClean {
            service.logger.notice("process ended", metadata: data)
        } else {
            service.logger.error("process died", metadata: data.merging(["relux.report": "\(report)", "relux.charge": "\(charge?.description ?? "")"]) { a, _ in a })
        }
        let words = isAsked && (end.status.isClean || !end.status.isOwnDecision) ? nil : reason(of: end.pid)
        logBegins[end.pid] = nil
        // Before a successor is started, which reads it.
        ModuleFiles(service.launch.directory).ended(end.pid, isClean: end.status.isClean)
        if names.removeValue(forKey: end.pid) == .broker {
            connected = false
            service.link.disconnect()
        }
        on(.ended(pid: end.pid, status: end.status, report: report, charge: charge, words: words ?? ""), at: time)
    }

    /// Why it says that it ended; nil when it has not.
    private func reason(of pid: Int32) -> String? {
        guard let child = names[pid] else { return nil }
        return HostLog.reason(in: service.launch.spec(for: child).log, from: logBegins[pid] ?? 0)
    }

    /// The effect that the dead process itself has written down as the one to blame; nil when there is none.
    private func charge(of pid: Int32) -> EffectID? {
        for module in modules(of: pid) {
            let path = service.launch.directory.openTable(of: module)
            do throws(OpenTableError) {
                // The file is an earlier process's when this one did not come so far as to make its own.
                if let table = try OpenTable.contents(of: path), table.pid == pid, let effect = table.charged.first { return effect }
            } catch {
                service.logger.error("no table of open handlers", metadata: metadata(pid, ["error": "\(error)"]))
            }
        }
        return nil
    }

    /// The modules that the process has by now: loads, moves and removals have changed what it was started with. A broker has none.
    private func modules(of pid: Int32) -> [String] { machine.specification(of: pid).map(Launch.modules) ?? [] }

    private func writeReport(_ end: ChildProcesses.End, _ whyCut: String?, _ charge: EffectID?) -> String {
        let crashes = service.launch.directory.crashes
        var host: HostID = "broker"
        let modules = modules(of: end.pid)
        var message: String?
        if let child = names[end.pid] {
            if case .host(let spec, _) = child { host = spec.id }
            message = HostLog.lastWords(in: service.launch.spec(for: child).log, from: logBegins[end.pid] ?? 0)
        }
        let memory = names[end.pid].flatMap { service.launch.spec(for: $0).memory?.reached(by: end.peak) }
        let report = CrashReport(
            host: host, pid: end.pid, status: end.status, modules: modules, time: Date(), directory: crashes,
            cause: whyCut.map { "killed by the watchdog: \($0)" }, message: message, charge: charge, memory: memory)
        if !modules.isEmpty {
            reports.append(report)
            if reports.count > Self.openReports { reports.removeFirst() }
        }
        return write(report)
    }

    /// The publishers' words on what a dead process had not settled come after its end, one by one.
    private func complete(_ host: HostID, _ pid: Int32, _ count: UInt64, _ effects: [EffectID]) {
        guard let index = reports.lastIndex(where: { $0.host == host && $0.pid == pid }) else { return }
        let isNews = reports[index].effectsInFlight == nil || count > 0
        reports[index].add(effects, of: count)
        if isNews { _ = write(reports[index]) }
    }

    private func write(_ report: CrashReport) -> String {
        do {
            return try report.write(to: service.launch.directory.crashes)
        } catch {
            service.logger.error("crash report not written", metadata: metadata(report.pid, ["error": "\(error)"]))
            return ""
        }
    }

    private func connect() {
        let inbox = inbox
        connected = true
        service.link.connect(service.launch.directory.membersEndpoint) { message in
            // A supervisor asks for nothing and runs no module: nothing else is meant for it.
            if case .supervisor(let order) = message { inbox.post(.order(order)) }
        }
    }

    /// The machine ends when nothing that it knows runs; a child that it called off may.
    private func endTheRest() {
        while !children.pids.isEmpty {
            for pid in children.pids { children.signal(pid, SIGKILL) }
            for end in children.wait(limit: nil) {
                names[end.pid] = nil
                ModuleFiles(service.launch.directory).ended(end.pid, isClean: end.status.isClean)
            }
        }
    }

    private func trimLogs() {
        guard now - trimmedAt >= Self.trimInterval else { return }
        trimmedAt = now
        for child in names.values { HostLog.trim(service.launch.spec(for: child).log) }
        let directory = service.launch.directory
        HostLog.trim(directory.log(of: "supervisor"))
        CrashFolder.trim(directory.crashes)
    }

    private func metadata(_ pid: Int32, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
        var data: Logger.Metadata = ["relux.pid": "\(pid)"]
        switch names[pid] {
        case .broker: data["relux.host"] = "broker"
        case .host(let spec, let start): (data["relux.host"], data["relux.start"]) = ("\(spec.id)", "\(start)")
        case nil: break
        }
        return data.merging(more) { _, new in new }
    }
}
