import Glibc
import Relux
import ReluxControl
@testable import ReluxHost
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit
import ReluxWire

/// One life of the supervisor: the machine that production runs, and its end of the line to the broker.
struct SimulatedSupervisor {
    let life: Int
    var machine: SupervisorMachine
    var line = BrokerLine<SupervisorMessage>()
    var tickAt: Duration?
}

/// A line to the broker: a message that is said while there is no broker waits for one, as a socket has it.
struct BrokerLine<Message> {
    /// The life of the broker that it leads to.
    var broker: Int?
    var unsent: [Message] = []
}

/// The supervisor's process, and the system that starts and ends processes for it.
extension Simulation {
    mutating func startSupervisor() {
        guard supervisor == nil else { return }
        let life = newLife()
        var settings = SupervisorMachine.Settings()
        settings.limits = RestartPolicy.Limits(intensity: 1000, base: .milliseconds(100), cap: .seconds(2))
        settings.stop = StopLadder.Timing(drain: .seconds(1), term: .milliseconds(500))
        let jitter = Jitter(SeededRandom(seed: random.next()))
        let start = options.sabotage == .forgetMembers ? SupervisorHello.Start(isReset: true) : nil
        let identity = SupervisorMachine.Identity(pid: Int32(life), instance: "supervisor-\(life)", declared: declared, start: start)
        supervisor = SimulatedSupervisor(
            life: life, machine: SupervisorMachine(identity, settings: settings) { Double(jitter.next() >> 11) / 0x1p53 })
        supervise(.begin, life)
    }

    mutating func supervise(_ event: SupervisorMachine.Event, _ life: Int) {
        guard supervisor?.life == life else { return }
        for action in supervisor!.machine.on(event, now: now) { perform(action, life) }
        guard let due = supervisor?.machine.deadline, supervisor!.tickAt.map({ $0 > due }) ?? true else { return }
        supervisor!.tickAt = due
        at(max(now, due), .supervisorTick(life))
    }

    mutating func supervisorTick(_ life: Int) {
        guard supervisor?.life == life else { return }
        supervisor!.tickAt = nil
        supervise(.tick, life)
    }

    private mutating func perform(_ action: SupervisorMachine.Action, _ life: Int) {
        switch action {
        case .spawn(.broker):
            let pid = newLife()
            brokerLife = pid
            at(later(5...40), .bootBroker(pid))
            supervise(.spawned(.broker, pid: Int32(pid)), life)
        case .spawn(.host(let spec, let start)):
            let pid = startHost(spec, start)
            supervise(.spawned(.host(spec, start), pid: Int32(pid)), life)
        case .signal(let pid, let signal):
            let pid = Int(pid)
            if signal == SIGKILL {
                endProcess(pid, .signalled(signal))
            } else if pid == brokerLife {
                endProcess(pid, .exited(0))
            } else {
                at(now, .machine(pid, .end(why: "")))
            }
        case .tell(let message):
            guard let broker, supervisor!.line.broker == broker.life else { return supervisor!.line.unsent.append(message) }
            send(.toBroker(broker.life, heard(message, life)), life, broker.life)
        // For people, who ask where there is no broker.
        case .note, .finish: break
        }
    }

    /// The line to a broker that has come.
    mutating func connected(_ life: Int, _ brokerLife: Int) {
        guard broker?.life == brokerLife else { return }
        if supervisor?.life == life {
            supervisor!.line.broker = brokerLife
            for message in supervisor!.line.unsent { send(.toBroker(brokerLife, heard(message, life)), life, brokerLife) }
            supervisor!.line.unsent = []
            supervise(.brokerConnected, life)
        } else if let host = hosts[life], host.hasBooted {
            host.line.broker = brokerLife
            for message in host.line.unsent { send(.toBroker(brokerLife, .host(Self.connection(of: life), message)), life, brokerLife) }
            host.line.unsent = []
            // Whoever has nothing to say says that, once a second.
            at(later(0...1000), .speak(life))
        }
    }

    private func heard(_ message: SupervisorMessage, _ life: Int) -> Registry.Event {
        .supervisor(Self.connection(of: life), message, plugins: plugins)
    }

    // MARK: Ends

    /// The process is gone at once, whichever it is.
    mutating func endProcess(_ life: Int, _ status: ChildStatus) {
        if life == supervisor?.life { return endSupervisor() }
        if life == brokerLife { endBroker() } else { kill(life, isWritten: true) }
        reap(life, status)
    }

    /// Whoever has started it hears of it.
    mutating func reap(_ life: Int, _ status: ChildStatus) {
        guard let supervisor else { return }
        at(later(0...5), .supervise(supervisor.life, .ended(pid: Int32(life), status: status, report: "")))
    }

    private mutating func endBroker() {
        tally.deaths += 1
        frozen[brokerLife] = nil
        brokerLife = 0
        broker = nil
        for host in hosts.values { host.line.broker = nil }
        supervisor?.line.broker = nil
        if let supervisor { at(now, .supervise(supervisor.life, .brokerDisconnected)) }
    }

    /// With it goes all that it has started; hosts may end what they have begun.
    private mutating func endSupervisor() {
        guard let life = supervisor?.life else { return }
        tally.deaths += 1
        frozen[life] = nil
        supervisor = nil
        if brokerLife != 0 { endBroker() }
        for host in hosts.keys.sorted() { at(later(0...50), .machine(host, .orphaned)) }
        orphans.formUnion(hosts.keys)
        at(later(100...2500), .startSupervisor)
    }
}

/// `@unchecked Sendable`: a simulation runs on one thread.
private final class Jitter: @unchecked Sendable {
    private var random: SeededRandom
    init(_ random: SeededRandom) { self.random = random }
    func next() -> UInt64 { random.next() }
}
