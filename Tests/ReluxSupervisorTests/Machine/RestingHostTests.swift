import ReluxControl
import Testing

@testable import ReluxSupervisor

/// A host that the supervisor will not start again by itself is said to rest: the order that made it so may have been meant for another process.
@Suite struct RestingHostTests {
    private let auth = HostID(rawValue: "Auth")

    @Test func `a stop in backoff is answered with rest`() {
        var stage = Stage.ready("Auth")
        stage.play(.ended(pid: 101, status: .exited(1), report: ""))
        #expect(stage.play(.order(.stop(host: auth))) == ["resting Auth"])
        #expect(stage.play(.order(.stop(host: auth))) == [])
        #expect(stage.pass(.seconds(60)) == [])
        #expect(stage.play(.order(.start(Stage.spec("Auth")))) == ["spawn Auth", "started Auth 102"])
    }

    @Test func `also one in quarantine`() {
        var stage = Stage.ready("Auth", intensity: 0)
        #expect(stage.play(.ended(pid: 101, status: .exited(1), report: "")).last?.hasSuffix(", quarantined") == true)
        #expect(stage.play(.order(.stop(host: auth))) == ["resting Auth"])
    }

    @Test func `a stopped process that has ended rests, unless another one follows it`() {
        var stage = Stage.ready("Auth", "Notes")
        stage.play(.order(.stop(host: auth)))
        #expect(stage.play(.ended(pid: 101, status: .exited(0), report: "")) == ["exited Auth 101 exit 0, resting"])
        stage.play(.order(.stop(host: HostID(rawValue: "Notes"))))
        stage.play(.order(.start(Stage.spec("Notes"))))
        #expect(
            stage.play(.ended(pid: 102, status: .exited(0), report: ""))
                == ["exited Notes 102 exit 0, replaced", "spawn Notes", "started Notes 103"])
    }

    @Test func `a host of a kind that is not started again rests at its end`() {
        var stage = Stage.ready()
        stage.play(.order(.start(HostSpec(id: auth, plugins: [], restart: .transient))))
        #expect(stage.play(.ended(pid: 101, status: .exited(0), report: "")) == ["exited Auth 101 exit 0, resting"])
        stage.play(.order(.start(HostSpec(id: auth, plugins: [], restart: .temporary))))
        #expect(stage.play(.ended(pid: 102, status: .exited(1), report: "")) == ["exited Auth 102 exit 1, resting"])
    }

    @Test func `nobody rests while all end`() {
        var stage = Stage.ready("Auth")
        stage.play(.order(.shutdown))
        #expect(stage.play(.ended(pid: 101, status: .exited(0), report: "")) == ["exited Auth 101 exit 0, resting", "SIGTERM 100"])
    }
}
