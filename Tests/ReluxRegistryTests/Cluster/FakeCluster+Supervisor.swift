import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire

/// The supervisor, which does at once what it is told, and the lives of processes.
extension FakeCluster {
    /// The process is killed; the supervisor reports it and, if asked for, starts it again after a delay.
    mutating func crash(_ id: HostID, status: String = "signal 9 (SIGKILL)", restarts: Bool = true) {
        guard let process = running.removeValue(forKey: id) else { return }
        stopping.remove(id)
        (updated[id], following[id]) = (nil, nil)
        let rests = process.spec.restart == .temporary || process.spec.restart == .transient && status.hasPrefix("exit 0")
        supervisor(.exited(host: id, pid: process.pid, status: status, report: "crash/\(id)", next: rests ? .resting : .backoff(milliseconds: 100, why: status)))
        guard restarts, !calledOff.contains(id), running[id] == nil else { return }
        // An update alone comes too late: the next process is under way.
        spawn(following.removeValue(forKey: id) ?? process.spec)
        play()
    }

    mutating func supervise(_ order: SupervisorOrder) {
        supervisorOrders.append("\(order)")
        switch order {
        case .start(let spec, let order):
            follow(order, spec.id)
            if running[spec.id] != nil {
                if !stopping.contains(spec.id) { complaints.append("\(spec.id) was started twice") }
                following[spec.id] = spec
                return
            }
            starts.append(spec.id)
            calledOff.remove(spec.id)
            spawn(spec)
        case .update(var spec):
            kinds[spec.id] = spec.kinds?.byName
            spec.kinds = nil
            running[spec.id]?.spec = spec
            updated[spec.id] = running[spec.id] == nil ? spec : nil
        case .stop(let id):
            calledOff.insert(id)
            // A host that still drains ends when it has left.
            stopping.insert(id)
            endIfLeft(id)
        case .kill(let id):
            calledOff.insert(id)
            end(id, "signal 9 (SIGKILL)")
        case .restart(let id, let why, let order):
            follow(order, id)
            guard let process = running[id] else {
                following[id] = updated[id]
                return
            }
            let drains = why.manner == .asked || why.manner == .drain
            if drains { for module in process.modules { leave(id, module.declaration.id) } }
            end(id, drains ? "exit 0" : "signal 9 (SIGKILL)", .replaced(why))
            spawn(process.spec)
        case .shutdown: for id in running.keys.sorted().reversed() { end(id, "exit 0") }
        case .introduce, .ping, .inFlight: break
        }
    }

    private mutating func follow(_ order: UInt64, _ id: HostID) {
        if order <= latestOrder { complaints.append("order \(order) comes behind \(latestOrder)") }
        (orders[id], latestOrder) = (order, order)
    }

    mutating func endIfLeft(_ id: HostID) {
        let isSlow = running[id]?.modules.contains { slow.contains($0.declaration.id) } ?? false
        if stopping.contains(id), !isSlow { end(id, "exit 0") }
    }

    private mutating func end(_ id: HostID, _ status: String, _ next: ProcessEnd.Next = .resting) {
        stopping.remove(id)
        guard let process = running.removeValue(forKey: id) else { return }
        let follower = following.removeValue(forKey: id)
        enqueue(
            .supervisor(
                Self.supervisor, .exited(host: id, pid: process.pid, status: status, next: follower == nil ? next : .replaced(nil)), plugins: [:]))
        if let follower { spawn(follower) }
    }

    mutating func spawn(_ told: HostSpec) {
        var spec = told
        if let all = spec.kinds { kinds[spec.id] = all.byName }
        spec.kinds = nil
        lastPid += 1
        let bytes = withUnsafeBytes(of: lastPid) { Array($0) }
        let start = StartNumber(order: orders[spec.id] ?? 0, attempt: UInt64(lastPid))
        numbers[lastPid] = start
        var process = Process(
            spec: spec, pid: lastPid, instance: "instance-\(lastPid)", connection: ConnectionID(ByteString(bytes)), start: start)
        process.modules = spec.plugins.compactMap { libraries[$0] }
        running[spec.id] = process
        var words: [Registry.Event] = [.supervisor(Self.supervisor, .started(host: spec.id, HostProcess(start: start, pid: lastPid)), plugins: [:])]
        if !mute.contains(spec.id) {
            words.append(.host(process.connection, .hello(hello(process, resumed: false))))
        }
        queue += hasty.contains(spec.id) ? words.reversed() : words
    }
}

/// Without numbers, which ``FakeCluster/numbered(_:)`` adds.
extension SupervisorMessage {
    static func started(host: HostID, pid: Int32) -> Self { .started(host: host, HostProcess(start: StartNumber(order: 0, attempt: 0), pid: pid)) }
    static func exited(host: HostID, pid: Int32, status: String, report: String = "", next: ProcessEnd.Next? = nil) -> Self {
        let next = next ?? .backoff(milliseconds: 0, why: status)
        return .exited(
            host: host, HostProcess(start: StartNumber(order: 0, attempt: 0), pid: pid),
            ProcessEnd(status: status, isClean: status.hasPrefix("exit 0"), report: report, next: next, order: 0))
    }
    static func backoff(host: HostID, milliseconds: UInt64, why: String) -> Self {
        .decided(host: host, .backoff(milliseconds: milliseconds, why: why), order: 0)
    }
    static func quarantined(host: HostID, why: String) -> Self { .decided(host: host, .quarantined(why: why), order: 0) }
    static func resting(host: HostID) -> Self { .decided(host: host, .resting, order: 0) }
}
