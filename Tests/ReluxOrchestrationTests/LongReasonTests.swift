@testable import Relux
@testable import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

/// An action may say what it likes: its end is told all the same.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct LongReasonTests {
    /// Over what one record holds.
    nonisolated private static let long = String(repeating: "ä", count: WireRecord.byteLimit)

    private struct Chatty: Error, CustomStringConvertible {
        var description: String { LongReasonTests.long }
    }

    /// The runner of another process, which hears and settles all that is said.
    private final class FarRunner: Relux.Uplink {
        let answers = Recorder<Orchestration.Business.Answer>()
        let exchange = Watched<Relux.Exchange?>(nil)
        var sealer: (any Relux.SecretSealing)? { nil }

        func append(_ appended: Relux.Emission) {
            if let answer = try? CBOR.decode(Orchestration.Business.Answer.self, from: appended.payload) { answers.record(answer) }
            // Not in the caller's stack: it holds the exchange's lock.
            Task.detached { [exchange] in exchange.value?.settle(appended.id, by: "Runner", with: .success) }
        }
        /// How the requests have ended.
        let settlements = Recorder<Relux.Failure?>()
        func settled(_ settled: Relux.Settled) { settlements.record(settled.result.failures.first) }
    }

    /// How the action has ended, as the runner of another process hears it.
    private func end(of action: any OrchestratedAction) async throws -> ActionResult {
        guard case .ended("life-1", let result, _, _, _)? = try await ask(for: action, { try await $0.answers.wait(count: 2) }).last else {
            return .skipped
        }
        return result
    }

    /// Has the runner of another process ask for the action.
    ///
    /// - Parameter ancestry: of the request.
    private func ask<R>(for action: any OrchestratedAction, ancestry: [EffectID] = [], _ wait: (FarRunner) async throws -> R) async throws -> R {
        let far = FarRunner()
        let exchange = Relux.Exchange(uplink: far)
        far.exchange.update { $0 = exchange }
        defer { far.exchange.update { $0 = nil } }
        let node = Relux.clusterNode(for: "Auth", on: exchange)
        try node.join(
            Contributor("Auth", ActionContributor(["Runner": [action]], warn: { _ in })), position: Epoch(7).start,
            handles: [Orchestration.Business.Request.wireTopic], emits: [Orchestration.Business.Answer.wireTopic], isSerial: false)
        node.openModule()
        exchange.setMembership(version: 1, recipients: [Orchestration.Business.Answer.wireTopic: ["Runner"]])
        let request = Orchestration.Business.Request.execute(
            owner: "Auth", orchestrator: "Runner", action: action.id, call: "life-1", values: [:])
        exchange.deliver(
            Relux.Delivery(
                id: EffectID(module: "Runner", position: 1), topic: Orchestration.Business.Request.wireTopic,
                content: .encoded(try CBOR.encode(request)[...], as: Orchestration.Business.Request.self), ancestry: ancestry, awaitDepth: 0, deadline: nil),
            to: "Auth")
        return try await wait(far)
    }

    @Test func `an action whose end could not be told, for its request is at the end of a long chain, does not begin`() async throws {
        let log = Log()
        let chain = (1...32).map { EffectID(module: "Runner", position: UInt64($0)) }
        let far = try await ask(for: Step(id: "a", log: log), ancestry: chain) { far in
            _ = try await far.settlements.wait(count: 1)
            return far
        }
        #expect(far.settlements.elements.first??.code == "hops")
        #expect(log.elements.isEmpty && far.answers.elements.isEmpty)
    }

    private func expectCut(_ result: ActionResult, sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .failed(let why) = result else { return #expect(result == .failed(""), sourceLocation: sourceLocation) }
        #expect((1_020...ActionResult.reasonByteLimit).contains(why.utf8.count), sourceLocation: sourceLocation)
        #expect(why.hasPrefix("ää") && why.hasSuffix("ä…"), sourceLocation: sourceLocation)
    }

    @Test func `an action that throws, or fails with, more than a record holds ends as failed with the beginning of it`() async throws {
        expectCut(try await end(of: Step(id: "a", log: Log(), work: { throw Chatty() })))
        expectCut(try await end(of: Stage(id: "a") { _ in .failed(Self.long) }))
    }

    @Test func `an action that has set more than a record holds ends as failed with what was wrong, whatever it ended with itself`() async throws {
        for own in [ActionResult.completed, .failed(Self.long)] {
            let result = try await end(
                of: Stage(id: "a") { context in
                    for n in 0..<8 { context.set("\(n)", String(repeating: "x", count: PipelineContext.byteLimit - 16)) }
                    return own
                })
            guard case .failed(let why) = result else { return #expect(result == .failed("")) }
            #expect(why.hasPrefix("a has ended") && why.contains("could not be sent") && why.contains("the limit is"), "\(why)")
            #expect(!why.contains("ä") && why.utf8.count <= ActionResult.reasonByteLimit)
        }
    }

    @Test func `what is said of an evaluation has a reason that can be said too`() {
        let outcome = ActionOutcome(id: "a", priority: .low, result: .failed(Self.long), duration: .zero)
        guard case .actionEnded(_, _, _, _, let result, _) = Orchestration.Business.Progress(.actionEnded(outcome), of: "Runner", evaluation: 1)
        else { return #expect(Bool(false)) }
        expectCut(result)
    }

    @Test func `a reason is cut between characters, and one that fits stays`() {
        for fits in [0, 1, 1_023, 1_024] {
            let result = ActionResult.failed(String(repeating: "x", count: fits))
            #expect(result.tellable == result)
        }
        for before in 0...4 {
            guard case .failed(let why) = ActionResult.failed(String(repeating: "x", count: before) + String(repeating: "🐢", count: 400)).tellable
            else { return #expect(Bool(false)) }
            #expect(why.utf8.count <= 1_024 && !why.contains("\u{FFFD}") && why.hasSuffix("🐢…"))
        }
        #expect(ActionResult.lost(owner: "Auth").tellable == .lost(owner: "Auth"))
        guard case .parked("Auth", let why) = ActionResult.parked(owner: "Auth", why: Self.long).tellable else { return #expect(Bool(false)) }
        #expect(why.utf8.count <= 1_024 && why.hasSuffix("…"))
    }
}
