import Foundation
import Glibc
import ReluxControl
import ReluxTap
import ReluxWire

/// Follows a cluster's start by its status until every expected module has come to rest.
struct BootWait {
    /// Nil where somebody else has started the cluster: all that its supervisor has declared.
    let expected: [ModuleID]?
    let start: ContinuousClock.Instant
    let session: CommandSession
    let run: RunDirectory
    /// Where this start's words begin in the supervisor's log.
    let logBegin: UInt64

    private static let pollMicroseconds: UInt32 = 50_000
    private static let defaultTimeout: Duration = .seconds(60)
    /// The time without a change after which a refused or absent module is reported: whoever waits for it may wait for ever.
    private static let standstill: Duration = .seconds(3)

    /// - Parameters:
    ///   - child: the supervisor that this start has made; nil when somebody else has.
    ///   - supervisor: the one that is waited for.
    func run(_ child: inout DetachedProcess?, supervisor: Int32) throws(CLIError) -> ExitStatus {
        let clock = ContinuousClock()
        let end = clock.now + session.timeout(Self.defaultTimeout)
        var announced: Set<ModuleID> = []
        var phases: [ModuleID: ModuleState.Phase] = [:]
        var lastChange = clock.now
        var last: ClusterStatus?
        var hasRun = false
        while clock.now < end {
            if supervisor == child?.pid, let status = child?.ended() {
                // Another start of the cluster came first.
                guard status == EX_TEMPFAIL, let other = run.runningSupervisor() else { throw supervisorEnded(status, hasRun: hasRun) }
                session.say("somebody else starts this cluster at the same time: waiting for supervisor \(other)")
                // Perhaps from another file: what that one names is what comes.
                var none: DetachedProcess?
                return try BootWait(expected: nil, start: start, session: session, run: run, logBegin: logBegin).run(&none, supervisor: other)
            }
            let runs = run.runningSupervisor() == supervisor
            hasRun = hasRun || runs
            if runs, run.isEnding { throw .takenDown(run, before: "its modules were ready") }
            if supervisor != child?.pid, run.runningSupervisor() != supervisor {
                throw CLIError(
                    .failed, "supervisor.ended", "supervisor \(supervisor), which somebody else has started, has ended",
                    hint: "its output is in \(run.log(of: "supervisor")); start the cluster once more")
            }
            // A broker that takes up after an earlier one tells of that one's cluster until it has heard the new supervisor.
            if let client = try? BrokerClient(run: run, patience: .zero), let status = follow(client), status.supervisorPid == supervisor {
                if last == nil { announce("broker  ready  \(milliseconds(clock))ms  pid \(status.brokerPid)") }
                last = status
                let present = Dictionary(status.modules.map { ($0.id, $0.state.phase) }, uniquingKeysWith: { $1 })
                if present != phases { (phases, lastChange) = (present, clock.now) }
                for module in status.modules where announced.insert(module.id, if: isAtRest(module.state.phase)) {
                    announce(line(module, status))
                }
                // A module that is handed over, or has died, comes to rest again; a module that was removed, or has ended by itself, does not.
                if let awaited = awaited(status), awaited.allSatisfy({ announced.contains($0) && phases[$0].map { $0 == .stopped || isAtRest($0) } != false }) {
                    let closed = status.barriers.filter { !$0.isOpen }
                    if closed.isEmpty || missing(status).contains(where: { id in closed.contains { $0.module == id } }) {
                        return verdict(status, clock)
                    }
                    if closed.contains(where: \.isStuck) { return barred(status, clock) }
                }
                let isStuck = phases.values.contains { $0 == .refused || $0 == .quarantined } || !status.picture.absences.isEmpty
                if isStuck, lastChange.duration(to: clock.now) >= Self.standstill { return giveUp(status, client, clock) }
            }
            if let trouble = run.steadyTrouble { throw CLIError.brokerDies(run, trouble) }
            usleep(Self.pollMicroseconds)
        }
        if let client = try? BrokerClient(run: run, patience: .zero), let status = last {
            _ = giveUp(status, client, clock)
        }
        let closed = last.map(StatusOutput.barriers) ?? []
        if let last, missing(last).isEmpty, !closed.isEmpty {
            throw CLIError(
                .timeout, "cluster.barrier", "all modules are ready, and after \(milliseconds(clock))ms " + closed.joined(separator: "; "),
                hint: "the cluster goes on starting; see `relux status` and `relux signal ls`")
        }
        let missing = missing(last).map(\.rawValue).joined(separator: ", ")
        throw CLIError(
            .timeout, "cluster.notReady",
            "not ready after \(milliseconds(clock))ms: "
                + (missing.isEmpty ? "no broker has said what belongs to the cluster of supervisor \(supervisor)" : missing)
                + ((run.unwritable ?? run.brokerTroubleHindrance).map { "; \($0)" } ?? ""),
            hint: "the cluster goes on starting; see `relux status` and `relux logs`")
    }

    /// The modules that are waited for; nil while the broker has not heard what belongs to the cluster.
    private func awaited(_ status: ClusterStatus) -> [ModuleID]? {
        expected ?? (status.phase == .idle ? nil : status.modules.map(\.id))
    }

    private func follow(_ client: borrowing BrokerClient) -> ClusterStatus? {
        guard case .status(let status)? = try? client.ask(.status, timeout: .seconds(1)) else { return nil }
        return status
    }

    private func isAtRest(_ phase: ModuleState.Phase) -> Bool {
        phase == .ready || phase == .refused || phase == .quarantined
    }

    private func missing(_ status: ClusterStatus?) -> [ModuleID] {
        (expected ?? status.flatMap(awaited) ?? []).filter { id in status?.modules.first { $0.id == id }?.state.phase != .ready }
    }

    // MARK: Printing

    private func announce(_ line: String) {
        if session.format.isJSON { session.say(line) } else { session.print(line) }
    }

    /// `Auth  ready  41ms  process  Auth 1.4.0  (after ErrorHandling)`
    private func line(_ module: ClusterStatus.Module, _ status: ClusterStatus) -> String {
        let style = session.style
        let width = ((awaited(status) ?? []).map(\.rawValue.count) + ["broker".count]).max() ?? 0
        let name = module.id.rawValue + String(repeating: " ", count: max(0, width - module.id.rawValue.count))
        guard module.state.phase == .ready else {
            return "\(name)  \(style(module.state.phase.rawValue, .red))  \(TerminalText.escaped(module.state.why))"
        }
        let isShared = status.modules.contains { $0.host == module.host && $0.id != module.id }
        let known = Set(status.modules.map(\.id.rawValue))
        let after = module.imports.map { $0.hasSuffix("ReluxInt") ? String($0.dropLast(8)) : $0 }
            .filter { $0 != module.id.rawValue && known.contains($0) }
        return "\(name)  \(style("ready", .green))  \(module.readyMilliseconds)ms  "
            + (isShared ? "shared \(module.host)" : "process") + "  \(module.id) \(module.version)"
            + (after.isEmpty ? "" : "  (after \(after.joined(separator: ", ")))")
    }

    private func verdict(_ status: ClusterStatus, _ clock: ContinuousClock) -> ExitStatus {
        let all = awaited(status)?.count ?? 0
        let ready = all - missing(status).count
        if status.brokerDeaths > 0 { session.say("the broker died \(status.brokerDeaths.counted("time")) during the start; see `relux logs broker`") }
        for line in StatusOutput.troubles(status) { session.say(TerminalText.escaped(line)) }
        announce("\(ready)/\(all) ready in \(milliseconds(clock))ms")
        if session.format.isJSON { session.print(StatusOutput.json(status, run: run.path)) }
        if ready == all { return .ok }
        return status.modules.contains { $0.state.phase == .refused } ? .refused : .failed
    }

    /// All modules are ready, and users are kept out.
    private func barred(_ status: ClusterStatus, _ clock: ContinuousClock) -> ExitStatus {
        for line in StatusOutput.barriers(status) { session.console.talk(TerminalText.escaped(line)) }
        _ = verdict(status, clock)
        return .failed
    }

    private func giveUp(
        _ status: ClusterStatus, _ client: borrowing BrokerClient, _ clock: ContinuousClock
    ) -> ExitStatus {
        for module in missing(status) {
            for line in (try? session.whyNot(module, client).unmet) ?? ["it is unknown to the broker"] {
                session.console.talk("\(module): \(TerminalText.escaped(line))")
            }
        }
        return verdict(status, clock)
    }

    private func supervisorEnded(_ status: Int32, hasRun: Bool) -> CLIError {
        // It ends so only when it was asked to.
        if status == EX_OK, hasRun { return .takenDown(run, before: "its modules were ready") }
        var log = LogFile(name: "supervisor", path: run.log(of: "supervisor"), from: logBegin)
        let tail = log.readLines().suffix(5).map { TerminalText.escaped($0) }.joined(separator: "\n")
        return CLIError(
            .failed, "supervisor.ended", "relux-supervisor ended with \(status)\(hasRun ? "" : " before it served")\(tail.isEmpty ? "" : ":\n\(tail)")",
            hint: "its output is in \(run.log(of: "supervisor"))\(hasRun ? "" : "; see that the program is a relux-supervisor of this release")")
    }

    private func milliseconds(_ clock: ContinuousClock) -> Int { Int(start.duration(to: clock.now) / .milliseconds(1)) }
}

extension Set {
    /// True when the element was wanted and not there yet.
    fileprivate mutating func insert(_ element: Element, if wanted: Bool) -> Bool { wanted && insert(element).inserted }
}
