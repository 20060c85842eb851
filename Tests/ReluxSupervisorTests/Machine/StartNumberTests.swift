import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

/// Each process of a host has a number, later ones greater ones, and each report names the latest order that it follows.
@Suite struct StartNumberTests {
    private static let auth = HostID(rawValue: "Auth")

    /// A machine with a broker, and what it does; each spawn succeeds at once, with pids from 100 on.
    private struct Told {
        var machine = SupervisorMachine(.init(pid: 1, instance: "i", declared: []), jitter: { 0.5 })
        var now = Duration.zero
        var pid: Int32 = 100
        var started: [StartNumber] = []
        var ends: [(StartNumber, order: UInt64)] = []
        var hello: SupervisorHello?

        mutating func on(_ event: SupervisorMachine.Event) {
            for action in machine.on(event, now: now) {
                switch action {
                case .spawn(let child):
                    pid += 1
                    on(.spawned(child, pid: pid - 1))
                case .tell(.started(_, let process)): started.append(process.start)
                case .tell(.exited(_, let process, let end)): ends.append((process.start, end.order))
                case .tell(.hello(let said)): hello = said
                default: break
                }
            }
        }

        mutating func end(of pid: Int32) { on(.ended(pid: pid, status: .signalled(9), report: "")) }
    }

    private static func told(orders: [SupervisorOrder]) -> Told {
        var told = Told()
        told.on(.begin)
        told.on(.brokerConnected)
        for order in orders { told.on(.order(order)) }
        return told
    }

    private static func start(_ number: UInt64) -> SupervisorOrder { .start(HostSpec(id: auth, plugins: []), order: number) }

    @Test func `a process that the supervisor starts by itself has the order of the one before, and the next attempt`() {
        var told = Self.told(orders: [Self.start(5)])
        told.end(of: 101)
        told.now = .seconds(1)
        told.on(.tick)
        told.end(of: 102)
        told.on(.order(.restart(host: Self.auth, .init(.asked, why: "so"), order: 9)))
        #expect(told.started == [StartNumber(order: 5, attempt: 1), StartNumber(order: 5, attempt: 2), StartNumber(order: 9, attempt: 1)])
        #expect(told.ends.map(\.0) == Array(told.started.prefix(2)) && told.ends.map(\.order) == [5, 5])
    }

    @Test(arguments: [true, false]) func `an end names the order that came before it, and the next process has that`(isStart: Bool) {
        let order = isStart ? Self.start(7) : .restart(host: Self.auth, .init(.kill, why: "so"), order: 7)
        var told = Self.told(orders: [Self.start(5), order])
        told.end(of: 101)
        told.now = .seconds(1)
        told.on(.tick)
        #expect(told.ends.map(\.0) == [StartNumber(order: 5, attempt: 1)] && told.ends.map(\.order) == [7])
        #expect(told.started.last == StartNumber(order: 7, attempt: 1))
    }

    @Test func `a hello says which processes run, from which number on others may come, and up to which order it has followed all`() {
        var told = Self.told(orders: [Self.start(5), .start(HostSpec(id: "Notes", plugins: []), order: 6), .stop(host: "Gone")])
        told.end(of: 101)
        told.on(.brokerDisconnected)
        told.on(.brokerConnected)
        #expect(told.hello?.running == ["Notes": HostProcess(start: StartNumber(order: 6, attempt: 1), pid: 102)])
        #expect(told.hello?.waiting.mapValues(\.first) == [Self.auth: StartNumber(order: 5, attempt: 2)])
        #expect(told.hello?.order == 6)
    }

    @Test func `a process learns its number from its environment, and its children do not take it for theirs`() throws {
        let launch = Launch(broker: "b", host: "h", directory: RunDirectory(path: "/run"), environment: [:])
        let number = StartNumber(order: 12, attempt: 3)
        let spec = HostSpec(id: Self.auth, plugins: [], environment: [StartNumber.variable: "Auth 1.1"])
        let text = try #require(launch.spec(for: .host(spec, number)).environment[StartNumber.variable])
        #expect(StartNumber(text, of: Self.auth) == number)
        #expect(StartNumber(text, of: "AuthHelper") == nil)
        for text in ["", "Auth", "Auth 12", "Auth 12.3.4", "Auth -1.3", "Auth 12.x", " 12.3", "Auth  12.3", "Auth 99999999999999999999.1"] {
            #expect(StartNumber(text, of: Self.auth) == nil, "\(text)")
        }
    }
}
