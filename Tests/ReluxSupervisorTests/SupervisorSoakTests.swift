import ReluxControl
import SoakKit
import Testing

@testable import ReluxSupervisor

/// The supervisor's judgement over a thousand deaths, upgrades and names.
@Suite struct SupervisorSoakTests {
    private func run(_ unit: String, _ count: Int, warmUp: Int, _ step: (inout Stage, Int) -> Void) -> (grown: [String], summary: String) {
        var soak = Soak(unit, slack: SupervisorMachine.restedKept / 4 + 8)
        var stage = Stage.ready("Auth", "Notes", intensity: 1_000_000)
        soak.play(count, warmUp: warmUp, census: { Census(["machine": stage.machine]) }, step: { step(&stage, $0) })
        return (soak.complaints, soak.summary)
    }

    @Test func `a host that dies a thousand times costs as much as one that died once`() {
        let (grown, summary) = run("restart", SoakLength.of(1_500, full: 20_000), warmUp: 400) { stage, _ in
            guard let pid = stage.machine.running[HostID(rawValue: "Auth")]?.pid else { return }
            stage.play(.ended(pid: pid, status: .exited(1), report: ""))
            _ = stage.pass(.seconds(3_600))
        }
        #expect(grown == [], "\(summary)")
    }

    @Test func `a broker that dies a thousand times, too`() {
        let (grown, summary) = run("restart", SoakLength.of(1_500, full: 20_000), warmUp: 400) { stage, _ in
            if let pid = stage.machine.broker.pid { stage.play(.ended(pid: pid, status: .signalled(9), report: "")) }
            _ = stage.pass(.seconds(1))
            stage.play(.brokerConnected)
        }
        #expect(grown == [], "\(summary)")
    }

    @Test func `names of hosts that come and go are not kept without end`() {
        let (grown, summary) = run("name", SoakLength.of(1_500, full: 20_000), warmUp: 400) { stage, number in
            let host = HostID(rawValue: "Guest\(number)")
            stage.play(.order(.start(Stage.spec(host.rawValue))))
            stage.play(.order(.stop(host: host)))
            if let pid = stage.machine.running[host]?.pid { stage.play(.ended(pid: pid, status: .exited(0), report: "")) }
        }
        #expect(grown == [], "\(summary)")
    }

    @Test func `the soak finds a machine that keeps what it should forget`() {
        let (grown, _) = run("restart", 900, warmUp: 100) { stage, number in
            stage.machine.hosts[HostID(rawValue: "Kept\(number)")] = stage.machine.hosts[HostID(rawValue: "Auth")]
        }
        #expect(grown.contains { $0.hasPrefix("machine.hosts holds") }, "\(grown)")
    }
}
