import Glibc
import ReluxControl
import ReluxWire
import Synchronization

@testable import ReluxSupervisor

/// A machine with its virtual clock; `play` answers in words, pids are handed out from 100.
struct Stage {
    var machine: SupervisorMachine
    var now = Duration.zero
    var nextPid: Int32 = 100

    init(_ hosts: String..., intensity: Int = 5) {
        machine = SupervisorMachine(
            .init(pid: 1, instance: "i", declared: hosts.map(Self.spec)),
            settings: .init(limits: .init(intensity: intensity)), jitter: { 0.5 })
    }

    static func spec(_ name: String) -> HostSpec { HostSpec(id: HostID(rawValue: name), plugins: []) }

    /// Spawns succeed at once.
    @discardableResult
    mutating func play(_ event: SupervisorMachine.Event) -> [String] {
        var words: [String] = []
        var events = [event]
        while !events.isEmpty {
            for action in machine.on(events.removeFirst(), now: now) {
                words.append(Self.words(action))
                if case .spawn(let child) = action {
                    events.append(.spawned(child, pid: nextPid))
                    nextPid += 1
                }
            }
        }
        return words
    }

    mutating func pass(_ duration: Duration) -> [String] {
        now += duration
        return play(.tick)
    }

    static func words(_ action: SupervisorMachine.Action) -> String {
        switch action {
        case .spawn(.broker): "spawn broker"
        case .spawn(.host(let spec, _)): "spawn \(spec.id)"
        case .signal(let pid, let signal): "\(ChildStatus.name(ofSignal: signal)!) \(pid)"
        case .finish: "finish"
        case .note(let trouble): trouble.map { "note \($0.deaths) \($0.status)" + ($0.words.isEmpty ? "" : " \($0.words)") } ?? "note none"
        case .tell(.hello(let hello)):
            (["hello"] + hello.declared.map { "(\($0.id))" }
                + hello.running.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.pid)" }
                + hello.waiting.sorted { $0.key < $1.key }.map { id, state in
                    if case .backoff(let milliseconds, _) = state.next { "\(id):\(milliseconds)" } else { "\(id):\(words(state.next))" }
                }).joined(separator: " ")
        case .tell(.started(let host, let process)): "started \(host) \(process.pid)"
        case .tell(.exited(let host, let process, let end)): "exited \(host) \(process.pid) \(end.status), \(words(end.next))"
        case .tell(.decided(let host, let next, _)): "\(words(next)) \(host)"
        case .tell(.ending): "ending"
        case .tell(.pong): "pong"
        }
    }

    private static func words(_ next: ProcessEnd.Next) -> String {
        switch next {
        case .backoff(let milliseconds, _): "backoff \(milliseconds)"
        case .quarantined: "quarantined"
        case .resting: "resting"
        case .replaced: "replaced"
        }
    }

    /// With a broker, and hosts that run from pid 101 on.
    static func ready(_ hosts: String..., intensity: Int = 5) -> Stage {
        var stage = Stage(intensity: intensity)
        stage.play(.begin)
        stage.play(.brokerConnected)
        for host in hosts { stage.play(.order(.start(Stage.spec(host)))) }
        return stage
    }
}

/// Orders whose numbers rise through all tests.
extension SupervisorOrder {
    private static let given = Mutex<UInt64>(0)
    private static var next: UInt64 {
        given.withLock { given in
            given += 1
            return given
        }
    }
    static func start(_ spec: HostSpec) -> Self { .start(spec, order: next) }
    static func kill(andStart host: HostID) -> Self { .restart(host: host, Restart(.kill, why: "it is of the past"), order: next) }
    static func cut(_ host: HostID, why: String) -> Self { .restart(host: host, Restart(.cut, why: why), order: next) }
    static func drain(andStart host: HostID) -> Self { .restart(host: host, Restart(.asked, why: "somebody asked"), order: next) }
}
