import Glibc
import ReluxControl
import ReluxWire

extension SupervisorMachine {
    struct HostRecord: Sendable {
        enum State: Sendable {
            /// The spawn was asked for and is not answered yet.
            case starting
            case running(pid: Int32)
            /// `then` is started when it has ended.
            case stopping(pid: Int32, ladder: StopLadder, then: Follower?)
            case backoff(until: Duration, why: String)
            case quarantined(why: String)
            case resting
        }
        /// Another process of the host, and why it follows; nil: by an order to start.
        struct Follower: Sendable {
            var spec: HostSpec
            var restart: SupervisorOrder.Restart?
        }
        /// That of the latest process.
        var start: StartNumber
        /// The latest order about the host; greater than the number's while that waits for the end of the process.
        var ordered: UInt64
        /// The plugins that its last process was started for.
        fileprivate(set) var launched: [String] = []
        /// Its quarantine says that another process would end the same, and of nothing that this one lived through.
        fileprivate(set) var wouldRepeat = false
        var spec: HostSpec
        var policy: RestartPolicy
        var state: State
        /// Rises from start to start: the order of stopping is its reverse.
        var order: UInt64
        /// The broker's word on the process that runs and does not answer.
        fileprivate(set) var whyCut: String?

        /// A process that has been asked to end is no crash, however it ends.
        mutating func noteCut(_ why: String) {
            if case .running = state { whyCut = why }
        }

        /// Whether something was given to it after its last start. How that process ended says nothing of this.
        var wantsMore: Bool { !Set(spec.plugins).isSubset(of: launched) }

        /// Sets the specification of its next life, also of one that is ordered already.
        mutating func adopt(_ spec: HostSpec) {
            self.spec = spec
            guard case .stopping(let pid, let ladder, var follower?) = state else { return }
            follower.spec = spec
            state = .stopping(pid: pid, ladder: ladder, then: follower)
        }

        /// The number of its next process.
        mutating func nextStart() -> StartNumber {
            start = ordered > start.order ? StartNumber(order: ordered, attempt: 1) : start.next
            return start
        }

        /// The number in a `hello` for a host that no process runs for.
        var first: StartNumber { if case .starting = state { start } else { start.next } }

        var pid: Int32? {
            switch state {
            case .running(let pid), .stopping(let pid, _, _): pid
            case .starting, .backoff, .quarantined, .resting: nil
            }
        }
        var isStopping: Bool { if case .stopping = state { true } else { false } }
        var deadline: Duration? {
            switch state {
            case .stopping(_, let ladder, _): ladder.deadline
            case .backoff(let until, _): until
            case .starting, .running, .quarantined, .resting: nil
            }
        }
    }

    /// A running host is left alone; a host on its way down is started after its end.
    mutating func start(_ spec: HostSpec, order: UInt64, now: Duration) -> [Action] {
        hosts[spec.id]?.ordered = order
        switch hosts[spec.id]?.state {
        case .running, .starting:
            // Its next start is the one that is meant now.
            hosts[spec.id]?.spec = spec
            return []
        case .stopping(let pid, let ladder, _):
            hosts[spec.id]?.state = .stopping(pid: pid, ladder: ladder, then: .init(spec: spec))
            return []
        case .backoff, .quarantined, .resting, nil: return begin(spec, order: order)
        }
    }

    /// A host whose every module was refused is worth another process once there is something else to run.
    mutating func update(_ spec: HostSpec, now: Duration) -> [Action] {
        hosts[spec.id]?.adopt(spec)
        guard course == .running, var host = hosts[spec.id], case .quarantined = host.state, host.wouldRepeat, host.wantsMore
        else { return [] }
        // Not at once: a restart that is ordered right behind this is the same one.
        let why = "something was loaded into it since it ended"
        host.policy = RestartPolicy(spec.restart, limits: settings.limits)
        host.state = .backoff(until: now, why: why)
        hosts[spec.id] = host
        return [.tell(.decided(host: spec.id, .backoff(milliseconds: 0, why: why), order: host.ordered))]
    }

    mutating func stop(_ id: HostID, _ ladder: StopLadder, now: Duration) -> [Action] {
        switch hosts[id]?.state {
        case .running(let pid):
            hosts[id]?.state = .stopping(pid: pid, ladder: ladder, then: nil)
            return hostTick(id, now: now)
        case .stopping(let pid, let climbed, _):
            hosts[id]?.state = .stopping(pid: pid, ladder: Self.faster(ladder, climbed), then: nil)
            return hostTick(id, now: now)
        case .starting:
            hosts[id]?.state = .resting
            return []
        case .backoff, .quarantined:
            hosts[id]?.state = .resting
            return [.tell(.decided(host: id, .resting, order: hosts[id]?.ordered ?? 0))]
        case .resting, nil: return []
        }
    }

    mutating func restart(_ id: HostID, _ why: SupervisorOrder.Restart, order: UInt64, now: Duration) -> [Action] {
        hosts[id]?.ordered = order
        if why.manner == .cut { hosts[id]?.noteCut(why.why) }
        guard let host = hosts[id] else { return [] }
        let ladder: StopLadder =
            switch why.manner {
            case .asked, .drain: .withoutDrainRequest(now: now, timing: settings.stop)
            case .kill, .cut: .immediately(now: now)
            }
        let follower = HostRecord.Follower(spec: host.spec, restart: why)
        switch host.state {
        case .running(let pid):
            hosts[id]?.state = .stopping(pid: pid, ladder: ladder, then: follower)
            return hostTick(id, now: now)
        case .stopping(let pid, let climbed, _):
            hosts[id]?.state = .stopping(pid: pid, ladder: Self.faster(ladder, climbed), then: follower)
            return hostTick(id, now: now)
        case .starting: return []
        case .backoff, .quarantined, .resting: return begin(host.spec, order: order)
        }
    }

    /// An order must not grant a process that is on its way down more time.
    private static func faster(_ one: StopLadder, _ other: StopLadder) -> StopLadder {
        (one.killedAt ?? .zero) <= (other.killedAt ?? .zero) ? one : other
    }

    /// A start that was ordered: the host's past is forgiven.
    private mutating func begin(_ spec: HostSpec, order: UInt64) -> [Action] {
        forgetRested()
        let start = StartNumber(order: order, attempt: 1)
        enter(spec, start, .starting)
        return [.spawn(.host(spec, start))]
    }

    private mutating func enter(_ spec: HostSpec, _ start: StartNumber, _ state: HostRecord.State) {
        starts += 1
        hosts[spec.id] = HostRecord(
            start: start, ordered: max(hosts[spec.id]?.ordered ?? 0, start.order), spec: spec,
            policy: RestartPolicy(spec.restart, limits: settings.limits), state: state, order: starts)
    }

    /// The number of resting hosts that are remembered: names come and go as long as a cluster lives.
    static let restedKept = 256

    private mutating func forgetRested() {
        guard hosts.count > Self.restedKept else { return }
        let rested = hosts.filter { if case .resting = $0.value.state { true } else { false } }
        guard rested.count > Self.restedKept else { return }
        for host in rested.sorted(by: { $0.value.order < $1.value.order }).prefix(rested.count - Self.restedKept * 3 / 4) { hosts[host.key] = nil }
    }

    mutating func hostSpawned(_ spec: HostSpec, _ process: HostProcess, now: Duration) -> [Action] {
        guard var host = hosts[spec.id], case .starting = host.state, course == .running else {
            // It was called off while it started.
            enter(spec, process.start, .stopping(pid: process.pid, ladder: .immediately(now: now), then: nil))
            return hostTick(spec.id, now: now)
        }
        host.state = .running(pid: process.pid)
        host.whyCut = nil
        host.launched = spec.plugins
        host.policy.started(now: now)
        hosts[spec.id] = host
        return [.tell(.started(host: spec.id, process))]
    }

    mutating func hostEnded(
        _ id: HostID, pid: Int32, status: ChildStatus, report: String, charge: EffectID?, words: String = "", now: Duration
    ) -> [Action] {
        guard var host = hosts[id] else { return [] }
        // A status alone says nothing to whoever reads it far from this process.
        let told = words.isEmpty ? status.description : "\(status) (\(words))"
        func exited(_ next: ProcessEnd.Next) -> Action {
            let end = ProcessEnd(status: told, isClean: status.isClean, report: report, next: next, order: host.ordered)
            return .tell(.exited(host: id, HostProcess(start: host.start, pid: pid), end))
        }
        if case .stopping(_, _, let next) = host.state {
            hosts[id]?.state = .resting
            if course != .running { return [exited(.resting)] + stopNextHost(now: now) }
            return next.map { [exited(.replaced($0.restart))] + begin($0.spec, order: host.ordered) } ?? [exited(.resting)]
        }
        // Called off while it was to start.
        if case .resting = host.state { return [exited(.resting)] }
        guard course == .running else {
            hosts[id]?.state = .resting
            return [exited(.resting)]
        }
        let charge = status.isNobodysFault ? nil : charge
        defer { hosts[id] = host }
        switch host.policy.ended(status, now: now, jitter: jitter(), isCharged: charge != nil, wantsMore: host.wantsMore, told: told) {
        case .rest:
            host.state = .resting
            return [exited(.resting)]
        case .quarantine(let why):
            host.state = .quarantined(why: why)
            host.wouldRepeat = status.forbidsRestart && !host.wantsMore
            return [exited(.quarantined(why: why))]
        case .restart(let delay):
            let why = told + (charge.map { ", charged to \($0) and not counted" } ?? "")
            host.state = .backoff(until: now + delay, why: why)
            return [exited(.backoff(milliseconds: Self.milliseconds(delay), why: why))]
        }
    }

    mutating func hostTick(_ id: HostID, now: Duration) -> [Action] {
        guard let host = hosts[id] else { return [] }
        switch host.state {
        case .backoff(let until, _) where until <= now && course == .running:
            starts += 1
            hosts[id]?.order = starts
            hosts[id]?.state = .starting
            let start = hosts[id]?.nextStart() ?? host.start.next
            return [.spawn(.host(host.spec, start))]
        case .stopping(let pid, var ladder, let next):
            var actions: [Action] = []
            while let signal = ladder.step(now: now) { actions.append(.signal(pid: pid, signal: signal)) }
            hosts[id]?.state = .stopping(pid: pid, ladder: ladder, then: next)
            return actions
        case .starting, .running, .backoff, .quarantined, .resting: return []
        }
    }

    /// Hosts in reverse order of their start, one after the other, then the broker.
    mutating func shutDown(now: Duration) -> [Action] {
        course = .stoppingHosts
        broker.restartAt = nil
        for (id, host) in hosts where host.pid == nil { hosts[id]?.state = .resting }
        // The hosts that are on their way down already end first; the next follows the last of them.
        for (id, host) in hosts {
            if case .stopping(let pid, let ladder, _) = host.state {
                hosts[id]?.state = .stopping(pid: pid, ladder: ladder, then: nil)
            }
        }
        return (connected ? [.tell(.ending)] : []) + stopNextHost(now: now)
    }

    private mutating func stopNextHost(now: Duration) -> [Action] {
        guard course == .stoppingHosts, !hosts.values.contains(where: \.isStopping) else { return [] }
        let last = hosts.values.filter { $0.pid != nil }.max { $0.order < $1.order }
        guard let last, let pid = last.pid else { return stopBroker(now: now) }
        let ladder = StopLadder.withoutDrainRequest(now: now, timing: settings.stop)
        hosts[last.spec.id]?.state = .stopping(pid: pid, ladder: ladder, then: nil)
        return hostTick(last.spec.id, now: now)
    }

    /// Asked twice: no more patience.
    mutating func killAll(now: Duration) -> [Action] {
        var actions: [Action] = []
        for id in hosts.keys.sorted() {
            guard let pid = hosts[id]?.pid else { continue }
            hosts[id]?.state = .stopping(pid: pid, ladder: .immediately(now: now), then: nil)
            actions += hostTick(id, now: now)
        }
        if broker.pid != nil { broker.ladder = .immediately(now: now) }
        return actions + brokerTick(now: now)
    }
}
