import Glibc
import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

/// Stops and restarts that were ordered, and the shutdown.
@Suite struct SupervisorStopTests {
    @Test func `a restart on request drains first and is not counted`() {
        var stage = Stage.ready("Auth", intensity: 1)
        let order = SupervisorMachine.Event.order(.drain(andStart: HostID(rawValue: "Auth")))
        for round in 0..<3 {
            let pid = stage.nextPid - 1
            #expect(stage.play(order) == ["SIGTERM \(pid)"])
            #expect(stage.machine.expectsEnd(of: pid))
            #expect(
                stage.play(.ended(pid: pid, status: .exited(0), report: ""))
                    == ["exited Auth \(pid) exit 0, replaced", "spawn Auth", "started Auth \(pid + 1)"], "\(round)")
        }
        stage.play(order)
        #expect(stage.pass(.milliseconds(6_999)) == [])
        #expect(stage.pass(.milliseconds(1)) == ["SIGKILL \(stage.nextPid - 1)"])
    }

    @Test func `a drain that was ordered does not spare a process that is cut meanwhile`() {
        var stage = Stage.ready("Auth")
        stage.play(.order(.drain(andStart: HostID(rawValue: "Auth"))))
        #expect(stage.play(.order(.kill(andStart: HostID(rawValue: "Auth")))) == ["SIGKILL 101"])
        #expect(stage.play(.order(.drain(andStart: HostID(rawValue: "Auth")))) == [])
    }

    @Test func `restarts that the broker orders are not counted`() {
        var stage = Stage.ready("Auth", intensity: 1)
        for round in 0..<20 {
            let pid = stage.nextPid - 1
            #expect(stage.play(.order(.kill(andStart: HostID(rawValue: "Auth")))) == ["SIGKILL \(pid)"])
            #expect(
                stage.play(.ended(pid: pid, status: .signalled(SIGKILL), report: ""))
                    == ["exited Auth \(pid) signal 9 (SIGKILL), replaced", "spawn Auth", "started Auth \(pid + 1)"], "\(round)")
        }
    }

    @Test func `a process that is cut because it does not answer is a death with a reason, one that was asked to end is not`() {
        var stage = Stage.ready("Auth", "Notes")
        let auth = HostID(rawValue: "Auth")
        #expect(stage.play(.order(.cut(auth, why: "it answered no ping"))) == ["SIGKILL 101"])
        #expect(stage.machine.whyCut(101) == "it answered no ping")
        #expect(stage.machine.whyCut(102) == nil)
        stage.play(.ended(pid: 101, status: .signalled(SIGKILL), report: ""))
        #expect(stage.machine.whyCut(103) == nil, "its successor answers")
        stage.play(.order(.drain(andStart: auth)))
        stage.play(.order(.cut(auth, why: "it answered no ping")))
        #expect(stage.machine.whyCut(103) == nil)
    }

    @Test func `a stopped host climbs down the ladder and its successor waits for its end`() {
        var stage = Stage.ready("Auth")
        #expect(stage.play(.order(.stop(host: HostID(rawValue: "Auth")))) == [])
        #expect(stage.machine.expectsEnd(of: 101))
        #expect(stage.pass(.seconds(5)) == ["SIGTERM 101"])
        #expect(stage.play(.order(.start(Stage.spec("Auth")))) == [])
        #expect(stage.pass(.seconds(2)) == ["SIGKILL 101"])
        #expect(stage.pass(.seconds(60)) == [])
        #expect(
            stage.play(.ended(pid: 101, status: .signalled(SIGKILL), report: ""))
                == ["exited Auth 101 signal 9 (SIGKILL), replaced", "spawn Auth", "started Auth 102"])
    }

    @Test func `a host that is to be killed is killed now, also on its way down, and not started again`() {
        var stage = Stage.ready("Auth", "Notes")
        let (auth, notes) = (HostID(rawValue: "Auth"), HostID(rawValue: "Notes"))
        #expect(stage.play(.order(.kill(host: auth))) == ["SIGKILL 101"])
        stage.play(.order(.stop(host: notes)))
        #expect(stage.play(.order(.kill(host: notes))) == ["SIGKILL 102"])
        // A later stop grants no more time.
        #expect(stage.play(.order(.stop(host: notes))) == [])
        #expect(stage.machine.expectsEnd(of: 101))
        stage.play(.ended(pid: 101, status: .signalled(SIGKILL), report: ""))
        stage.play(.ended(pid: 102, status: .signalled(SIGKILL), report: ""))
        #expect(stage.pass(.seconds(60)) == [])
    }

    @Test func `a stop calls off a restart that is due`() {
        var stage = Stage.ready("Auth")
        stage.play(.ended(pid: 101, status: .exited(1), report: ""))
        stage.play(.order(.stop(host: HostID(rawValue: "Auth"))))
        #expect(stage.pass(.seconds(60)) == [])
    }

    @Test(arguments: [true, false])
    func `hosts end one by one in reverse order of their start, the broker last, which is told first`(bySignal: Bool) {
        var stage = Stage.ready("Auth", "Notes", "Sync")
        let event: SupervisorMachine.Event = bySignal ? .asked(signal: SIGTERM) : .order(.shutdown)
        #expect(stage.play(event) == ["ending", "SIGTERM 103"])
        #expect(stage.play(.ended(pid: 103, status: .exited(0), report: "")) == ["exited Sync 103 exit 0, resting", "SIGTERM 102"])
        #expect(stage.pass(.seconds(7)) == ["SIGKILL 102"])
        #expect(
            stage.play(.ended(pid: 102, status: .signalled(9), report: ""))
                == ["exited Notes 102 signal 9 (SIGKILL), resting", "SIGTERM 101"])
        #expect(stage.play(.ended(pid: 101, status: .exited(0), report: "")) == ["exited Auth 101 exit 0, resting", "SIGTERM 100"])
        #expect(stage.play(.ended(pid: 100, status: .exited(0), report: "")) == ["finish"])
    }

    @Test func `orders that come during the shutdown start nothing`() {
        var stage = Stage.ready("Auth")
        stage.play(.order(.shutdown))
        #expect(stage.play(.order(.start(Stage.spec("Notes")))) == [])
        #expect(stage.play(.order(.kill(andStart: HostID(rawValue: "Auth")))) == [])
    }

    @Test func `the second signal kills all`() {
        var stage = Stage.ready("Auth", "Notes")
        stage.play(.asked(signal: SIGINT))
        #expect(stage.play(.asked(signal: SIGINT)) == ["SIGKILL 101", "SIGKILL 102", "SIGKILL 100"])
    }

    @Test func `a shutdown does not wait for a broker that is down`() {
        var stage = Stage.ready("Auth")
        stage.play(.ended(pid: 100, status: .signalled(9), report: ""))
        #expect(stage.play(.asked(signal: SIGTERM)) == ["SIGTERM 101"])
        #expect(stage.play(.ended(pid: 101, status: .exited(0), report: "")) == ["exited Auth 101 exit 0, resting", "finish"])
    }

    @Test func `a host's next life follows the last specification`() {
        var stage = Stage.ready("Auth")
        var spec = Stage.spec("Auth")
        spec.plugins = ["/p/Auth/current", "/p/Notes/current"]
        #expect(stage.play(.order(.update(spec))) == [])
        stage.play(.ended(pid: 101, status: .exited(1), report: ""))
        stage.now = stage.machine.deadline!
        let plugins: [[String]] = stage.machine.on(.tick, now: stage.now).map {
            if case .spawn(.host(let next, _)) = $0 { next.plugins } else { [] }
        }
        #expect(plugins == [spec.plugins])
    }

    @Test func `also the one that is ordered and waits for the end of the life before`() {
        var stage = Stage.ready("Auth")
        stage.play(.order(.drain(andStart: "Auth")))
        var spec = Stage.spec("Auth")
        spec.plugins = ["/p/Auth/current", "/p/Notes/current"]
        #expect(stage.play(.order(.update(spec))) == [])
        let plugins: [[String]] = stage.machine.on(.ended(pid: 101, status: .exited(0), report: ""), now: stage.now).compactMap {
            if case .spawn(.host(let next, _)) = $0 { next.plugins } else { nil }
        }
        #expect(plugins == [spec.plugins])
    }

    @Test func `a host that is to end stays ended whatever its specification becomes`() {
        var stage = Stage.ready("Auth")
        stage.play(.order(.stop(host: "Auth")))
        #expect(stage.play(.order(.update(Stage.spec("Auth")))) == [])
        #expect(!stage.play(.ended(pid: 101, status: .exited(0), report: "")).contains { $0.hasPrefix("spawn") })
    }
}
