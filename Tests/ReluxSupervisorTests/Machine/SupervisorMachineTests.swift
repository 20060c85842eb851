import Glibc
import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

/// Starts, deaths and what the broker is told of them.
@Suite struct SupervisorMachineTests {
    @Test func `the broker starts first and then hears of the configured hosts in file order`() {
        var stage = Stage("Notes", "Auth")
        #expect(stage.play(.begin) == ["spawn broker"])
        #expect(stage.play(.brokerConnected) == ["hello (Notes) (Auth)"])
    }

    @Test func `a host starts only when the broker orders it`() {
        var stage = Stage.ready("Auth")
        #expect(stage.machine.running.mapValues(\.pid) == [HostID(rawValue: "Auth"): 101])
        #expect(stage.play(.order(.start(Stage.spec("Notes")))) == ["spawn Notes", "started Notes 102"])
        #expect(stage.play(.order(.start(Stage.spec("Notes")))) == [])
    }

    @Test func `a broker that was away hears what runs and what is configured`() {
        var stage = Stage("Notes", "Auth")
        stage.play(.begin)
        stage.play(.brokerConnected)
        stage.play(.order(.start(Stage.spec("Notes"))))
        #expect(stage.play(.ended(pid: 100, status: .signalled(9), report: "")) == ["note 1 signal 9 (SIGKILL)"])
        #expect(stage.pass(.milliseconds(10)) == ["spawn broker"])
        #expect(stage.play(.order(.introduce)) == ["note none", "hello (Notes) (Auth) Notes=101"])
        #expect(stage.play(.brokerConnected) == ["hello (Notes) (Auth) Notes=101"])
    }

    @Test func `the broker always returns within half a second`() {
        var stage = Stage.ready()
        for round in 0..<40 {
            #expect(stage.play(.ended(pid: stage.nextPid - 1, status: .exited(64), report: "")) == ["note \(round + 1) exit 64"])
            #expect(stage.machine.deadline! - stage.now <= .milliseconds(500), "round \(round)")
            stage.now = stage.machine.deadline!
            #expect(stage.play(.tick) == ["spawn broker"])
        }
    }

    @Test func `brokers that die before they speak are counted and told with the last one's words, until one speaks`() {
        var stage = Stage.ready()
        for round in 1...3 {
            let end = SupervisorMachine.Event.ended(pid: stage.nextPid - 1, status: .exited(74), report: "", words: "no room")
            #expect(stage.play(end) == ["note \(round) exit 74 no room"])
            stage.now = stage.machine.deadline!
            stage.play(.tick)
        }
        #expect(stage.play(.order(.ping)) == ["note none", "pong"])
        #expect(stage.play(.order(.ping)) == ["pong"])
        #expect(stage.play(.ended(pid: stage.nextPid - 1, status: .exited(74), report: "")) == ["note 1 exit 74"])
    }

    @Test func `a crash is told, delayed and followed by a new process`() {
        var stage = Stage.ready("Auth")
        #expect(
            stage.play(.ended(pid: 101, status: .signalled(SIGILL), report: "r"))
                == ["exited Auth 101 signal 4 (SIGILL), backoff 50"])
        #expect(stage.pass(.milliseconds(49)) == [])
        #expect(stage.pass(.milliseconds(1)) == ["spawn Auth", "started Auth 102"])
    }

    @Test func `a crash loop ends in quarantine and leaves the others alone`() {
        var stage = Stage.ready("Auth", "Notes", intensity: 2)
        for pid: Int32 in [101, 103] {
            stage.play(.ended(pid: pid, status: .exited(1), report: ""))
            stage.now = stage.machine.deadline!
            stage.play(.tick)
        }
        #expect(
            stage.play(.ended(pid: 104, status: .exited(1), report: "")) == ["exited Auth 104 exit 1, quarantined"])
        #expect(stage.pass(.seconds(3600)) == [])
        #expect(stage.machine.running.keys.map(\.rawValue) == ["Notes"])
        #expect(stage.play(.brokerConnected) == ["hello Notes=102 Auth:quarantined"])
        #expect(stage.play(.order(.kill(andStart: HostID(rawValue: "Auth")))) == ["spawn Auth", "started Auth 105"])
    }

    @Test func `deaths that are charged to an effect bring no quarantine, and say whose they are`() {
        var stage = Stage.ready("Auth", intensity: 1)
        for round in 0..<10 {
            let pid = stage.nextPid - 1
            var machine = stage.machine
            let told = machine.on(
                .ended(pid: pid, status: .signalled(SIGILL), report: "", charge: EffectID(module: "Notes", position: 7)), now: stage.now)
            guard case .tell(.exited(_, _, let end))? = told.last, case .backoff(_, let why) = end.next else {
                Issue.record("\(told) in round \(round)")
                return
            }
            #expect(why == "signal 4 (SIGILL), charged to Notes#7 and not counted")
            stage.machine = machine
            stage.now = machine.deadline!
            stage.play(.tick)
        }
        #expect(stage.play(.ended(pid: stage.nextPid - 1, status: .signalled(SIGILL), report: "")).last?.contains(", backoff ") == true)
        stage.now = stage.machine.deadline!
        stage.play(.tick)
        #expect(stage.play(.ended(pid: stage.nextPid - 1, status: .signalled(SIGILL), report: "")).last?.hasSuffix(", quarantined") == true)
    }

    @Test func `no effect answers for a journal that takes nothing any more, so it is given up when that goes on`() {
        var stage = Stage.ready("Auth", intensity: 1)
        let charge = EffectID(module: "Notes", position: 7)
        let first = stage.play(.ended(pid: stage.nextPid - 1, status: .exited(81), report: "", charge: charge))
        #expect(first.last?.contains(", backoff ") == true, "\(first)")
        stage.now = stage.machine.deadline!
        stage.play(.tick)
        let second = stage.play(.ended(pid: stage.nextPid - 1, status: .exited(81), report: "", charge: charge))
        #expect(second.last?.hasSuffix(", quarantined") == true, "\(second)")
    }

    @Test func `the reason that a process gave for its end is told with its status, and in what becomes of its host`() {
        for (status, words) in [(ChildStatus.exited(78), "refused Notes: loader.hash: …"), (.exited(1), "no such key")] {
            var stage = Stage.ready("Auth")
            let actions = stage.machine.on(.ended(pid: 101, status: status, report: "", words: words), now: stage.now)
            let texts = actions.flatMap { action -> [String] in
                guard case .tell(.exited(_, _, let end)) = action else { return [] }
                switch end.next {
                case .backoff(_, let why), .quarantined(let why): return [end.status, why]
                case .resting, .replaced: return [end.status]
                }
            }
            #expect(texts.count == 2 && texts.allSatisfy { $0.hasPrefix("\(status) (\(words))") }, "\(texts)")
        }
    }

    @Test func `what was loaded into a host while it ended for the rest is no reason to give it up`() {
        var stage = Stage.ready()
        let shop = HostID(rawValue: "shop")
        stage.play(.order(.start(HostSpec(id: shop, plugins: ["B"]))))
        stage.play(.order(.update(HostSpec(id: shop, plugins: ["A"]))))
        #expect(stage.play(.ended(pid: 101, status: .exited(78), report: "")) == ["exited shop 101 exit 78, backoff 50"])
        #expect(stage.pass(.milliseconds(50)) == ["spawn shop", "started shop 102"])
        // That process was started for it, so it is the last.
        #expect(stage.play(.ended(pid: 102, status: .exited(78), report: "")) == ["exited shop 102 exit 78, quarantined"])
        // The order crossed the word of the end.
        #expect(stage.play(.order(.update(HostSpec(id: shop, plugins: ["A"])))) == [])
        #expect(stage.play(.order(.update(HostSpec(id: shop, plugins: [])))) == [])
        #expect(stage.play(.order(.update(HostSpec(id: shop, plugins: ["A", "C"])))) == ["backoff 0 shop"])
        #expect(stage.pass(.zero) == ["spawn shop", "started shop 103"])
    }

    @Test func `a restart behind such a load starts one process and not two`() {
        var stage = Stage.ready()
        let shop = HostID(rawValue: "shop")
        stage.play(.order(.start(HostSpec(id: shop, plugins: ["B"]))))
        #expect(stage.play(.ended(pid: 101, status: .exited(78), report: "")).last?.hasSuffix(", quarantined") == true)
        #expect(stage.play(.order(.update(HostSpec(id: shop, plugins: ["A"])))) == ["backoff 0 shop"])
        #expect(stage.play(.order(.drain(andStart: shop))) == ["spawn shop", "started shop 102"])
        #expect(stage.pass(.seconds(1)) == [])
    }

    @Test func `a host that crashed too often stays in quarantine whatever is loaded into it`() {
        var stage = Stage.ready("Auth", intensity: 0)
        #expect(stage.play(.ended(pid: 101, status: .exited(1), report: "")).last?.hasSuffix(", quarantined") == true)
        #expect(stage.play(.order(.update(HostSpec(id: HostID(rawValue: "Auth"), plugins: ["A"])))) == [])
    }

    @Test func `a broker that comes back hears who waits for how long, in its first message`() {
        var stage = Stage.ready("Auth")
        stage.play(.ended(pid: 101, status: .exited(1), report: ""))
        stage.now += .milliseconds(20)
        #expect(stage.play(.brokerConnected) == ["hello Auth:30"])
    }

    @Test func `a broker that cannot be started is tried ever more rarely, however long the last one lived`() {
        var stage = Stage.ready()
        stage.now += .seconds(61)
        stage.play(.ended(pid: stage.nextPid - 1, status: .exited(1), report: ""))
        var delays: [Duration] = []
        for _ in 0..<4 {
            let due = stage.machine.deadline!
            delays.append(due - stage.now)
            stage.now = due
            var machine = stage.machine
            _ = machine.on(.tick, now: due)
            _ = machine.on(.spawnFailed(.broker, why: "no memory"), now: due)
            stage.machine = machine
        }
        #expect(delays == [.milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80)])
    }

    @Test func `a host that cannot be started backs off as one that died`() {
        var stage = Stage.ready()
        let spec = Stage.spec("Auth")
        var machine = stage.machine
        _ = machine.on(.order(.start(spec)), now: .zero)
        let actions = machine.on(.spawnFailed(.host(spec, StartNumber(order: 1, attempt: 1)), why: "no such file"), now: .zero).map(Stage.words)
        #expect(actions == ["exited Auth 0 not started: no such file, backoff 50"])
        #expect(stage.play(.order(.ping)) == ["pong"])
    }

    @Test func `a host that was stopped while it was to start, and could not be started, rests`() {
        let stage = Stage.ready()
        let spec = Stage.spec("Auth")
        var machine = stage.machine
        _ = machine.on(.order(.start(spec)), now: .zero)
        #expect(machine.on(.order(.stop(host: spec.id)), now: .zero).isEmpty)
        let actions = machine.on(.spawnFailed(.host(spec, StartNumber(order: 1, attempt: 1)), why: "no such file"), now: .zero).map(Stage.words)
        #expect(actions == ["exited Auth 0 not started: no such file, resting"])
    }
}
