import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxOrchestration
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// `relux signal` against a fake broker on a real socket.
@Suite struct SignalCommandTests {
    private typealias Request = Orchestration.Business.Request

    /// In the shape of `SignalState`.
    private struct State: Codable, Sendable {
        var name: String
        var isComplete: Bool
        var waiters: Int
    }

    /// Answers as the modules do that have these signals.
    private func broker(
        _ scratch: TemporaryDirectory, _ signals: [ModuleID: [State]], silent: [ModuleID] = [], absent: [ModuleID] = [], wasOpen: Bool = true
    ) throws -> FakeBroker {
        try FakeBroker(run: scratch.path) { body in
            if case .status = body { return .status(Self.status(of: Array(signals.keys))) }
            guard case .emit(Request.wireTopic, let payload, _, _, _, _) = body, let request = try? CBOR.decode(Request.self, from: payload.bytes)
            else { return nil }
            var outcomes: [EmitAnswer.Outcome] = []
            switch request {
            case .signals:
                outcomes = signals.map {
                    .init(recipient: $0.key, status: .succeeded, message: "", value: ByteString((try? CBOR.encode($0.value)) ?? []))
                }
            case .complete("onboarding", let owner?):
                outcomes = [
                    .init(recipient: owner, status: .succeeded, message: "", value: ByteString(CBORValue.bool(wasOpen).encoded())),
                    .init(recipient: "Notes", status: .succeeded, message: "", value: ByteString([])),
                ]
            case .complete("consent", "Library"?): break
            default: return nil
            }
            outcomes += silent.map { .init(recipient: $0, status: .unanswered, message: "not in time", value: ByteString([])) }
            outcomes += absent.map { .init(recipient: $0, status: .parked, message: "it is quarantined", value: ByteString([])) }
            return .emitted(
                EmitAnswer(
                    effect: EffectID(module: "Cluster", position: 9), unhandled: outcomes.isEmpty, succeeded: silent.isEmpty,
                    outcomes: outcomes))
        }
    }

    /// The status of a cluster with those members, which handle requests of orchestrators.
    private static func status(of members: [ModuleID]) -> ClusterStatus {
        var status = Demo.status
        status.phase = .open
        status.picture = ClusterPicture(
            version: 1,
            members: members.map { .init(module: $0, epoch: Epoch(1), handles: [Request.wireTopic], emits: [], provides: [], observes: [], host: nil) },
            hosts: [])
        return status
    }

    private static func emissions(_ broker: FakeBroker) -> Int { broker.requests.count { if case .emit = $0.body { true } else { false } } }

    private func signal(_ name: String, isComplete: Bool = false, waiters: Int = 1) -> State {
        State(name: name, isComplete: isComplete, waiters: waiters)
    }

    @Test func `a cluster that is not open yet is waited for as long as the time allows, and not as long as one question takes`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let clock = ContinuousClock()
        let start = clock.now
        let broker = try FakeBroker(run: scratch.path) { body in
            if case .status = body { return .status(Self.status(of: ["Settings"])) }
            guard start.duration(to: clock.now) > .milliseconds(2500) else {
                return .refused(code: "ingress-closed", message: "the ingress is closed", passes: "the cluster to be open")
            }
            let value = (try? CBOR.encode([State(name: "onboarding", isComplete: false, waiters: 1)])) ?? []
            return .emitted(
                EmitAnswer(
                    effect: EffectID(module: "Cluster", position: 9), unhandled: false, succeeded: true,
                    outcomes: [.init(recipient: "Settings", status: .succeeded, message: "", value: ByteString(value))]))
        }
        let console = TestConsole()
        #expect(console.run(["signal", "ls", "-o", "name", "--timeout", "10s", "--run", scratch.path]) == .ok, "\(console.talk)")
        #expect(console.out == "onboarding" && console.talk.contains("waiting for the cluster to be open"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `ls lists all signals by name`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Settings": [signal("onboarding")], "Auth": [signal("consent", isComplete: true, waiters: 0)]])
        let console = TestConsole()
        #expect(console.run(["signal", "ls", "--run", scratch.path]) == .ok)
        #expect(
            console.out == """
                SIGNAL      MODULE    STATE     WAITING
                consent     Auth      complete  0
                onboarding  Settings  open      1
                """)
        let json = TestConsole()
        #expect(json.run(["signal", "ls", "--json", "--run", scratch.path]) == .ok)
        #expect(json.out.contains(#"{"name":"onboarding","module":"Settings","complete":false,"waiting":1}"#))
        withExtendedLifetime(broker) {}
    }

    @Test func `without a signal ls says so, and who does not answer is named`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, [:], silent: ["Notes"])
        let console = TestConsole()
        #expect(console.run(["signal", "ls", "--timeout", "300ms", "--run", scratch.path]) == .timeout)
        #expect(console.talk.contains("waiting for Notes to answer"))
        #expect(console.talk.contains("none of those that have answered has a completion signal open"))
        #expect(console.talk.contains("Notes did not answer in time"))
        let all = TestConsole()
        let answering = TemporaryDirectory(isMade: true)
        let other = try self.broker(answering, [:])
        #expect(all.run(["signal", "ls", "--run", answering.path]) == .ok && all.talk.contains("no module has a completion signal open"))
        withExtendedLifetime(other) {}
        withExtendedLifetime(broker) {}
    }

    @Test func `who is absent is named with the reason, and fails nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Settings": [signal("onboarding")]], absent: ["Notes"])
        let console = TestConsole()
        #expect(console.run(["signal", "ls", "--run", scratch.path]) == .ok)
        #expect(console.out.contains("onboarding  Settings") && console.talk.contains("Notes is absent and was not asked: it is quarantined"))
        let other = TestConsole()
        #expect(other.run(["signal", "complete", "consent", "--run", scratch.path]) == .notFound)
        #expect(other.talk.contains("Notes is absent and was not asked: it is quarantined"))
        withExtendedLifetime(broker) {}
    }

    @Test func `a signal of a module that has just become absent is not said to be complete`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Library": [signal("consent")]], absent: ["Library"])
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "consent", "--run", scratch.path]) == .failed)
        #expect(console.out.isEmpty && console.talk.contains("Library is absent: it is quarantined"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `complete asks the one module that has it`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Settings": [signal("onboarding")]])
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "onboarding", "--run", scratch.path]) == .ok)
        #expect(console.out == "onboarding of Settings is complete")
        #expect(Self.emissions(broker) == 2)
        let plan = TestConsole()
        #expect(plan.run(["signal", "complete", "onboarding", "--dry-run", "--run", scratch.path]) == .ok)
        #expect(plan.out == "PLAN  complete  onboarding of Settings, for which 1 wait")
        #expect(Self.emissions(broker) == 3)
    }

    @Test(arguments: [[], [.lost], [.unanswered], [.failed]] as [[Relux.ActionResult.Status]])
    func `members that have not answered yet are asked again, and an answer from nobody is no empty list`(_ first: [Relux.ActionResult.Status]) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let value = ByteString(try CBOR.encode([signal("onboarding")]))
        let broker = try FakeBroker(run: scratch.path) { body in
            switch body {
            case .status: return .status(Self.status(of: ["Settings"]))
            case .emit:
                let isFirst = asked.withLock { asked in
                    asked += 1
                    return asked == 1
                }
                let outcomes: [EmitAnswer.Outcome] =
                    isFirst
                    ? first.map { .init(recipient: "Settings", status: $0, message: "", value: ByteString([])) }
                    : [.init(recipient: "Settings", status: .succeeded, message: "", value: value)]
                return .emitted(
                    EmitAnswer(effect: EffectID(module: "Cluster", position: 9), unhandled: outcomes.isEmpty, succeeded: !isFirst, outcomes: outcomes))
            default: return nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["signal", "ls", "--run", scratch.path]) == .ok)
        #expect(console.out.contains("onboarding  Settings") && console.talk.contains("waiting for Settings to answer"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `the help says what completing it again does`() throws {
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "--help"]) == .ok)
        let help = console.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("As long as its module keeps it, completing it again does nothing and is no error."))
        #expect(help.contains("not found: status \(ExitStatus.notFound.rawValue)."))
    }

    @Test func `completing it again does nothing and is no error`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Settings": [signal("onboarding", isComplete: true)]], wasOpen: false)
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "onboarding", "--run", scratch.path]) == .ok)
        #expect(console.out == "onboarding of Settings was complete already")
        withExtendedLifetime(broker) {}
    }

    @Test func `a module of a signal that is not there is answered with the nearest that is`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Session": [signal("onboarding")]])
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "onboarding", "--module", "Sesion", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("there is no module 'Sesion'") && console.talk.contains("did you mean 'Session'?"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a name that is not there is not found, with the nearest one, and one that two have needs its module`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch, ["Settings": [signal("onboarding")], "Auth": [signal("onboarding")]])
        let console = TestConsole()
        #expect(console.run(["signal", "complete", "onbording", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("no signal 'onbording' is open") && console.talk.contains("'onboarding'"))
        let ambiguous = TestConsole()
        #expect(ambiguous.run(["signal", "complete", "onboarding", "--run", scratch.path]) == .usage)
        #expect(ambiguous.talk.contains("Auth and Settings have a signal 'onboarding'") && ambiguous.talk.contains("--module"))
        let named = TestConsole()
        #expect(named.run(["signal", "complete", "onboarding", "--module", "Settings", "--run", scratch.path]) == .ok)
        withExtendedLifetime(broker) {}
    }
}
