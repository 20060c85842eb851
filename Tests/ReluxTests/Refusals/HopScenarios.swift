import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

private enum Poll: Relux.Effect, Equatable {
    case tick(Int)
    case awaited(Int)
    case prompt(Int)
}

/// Which sends begin a new chain of hops.
@Suite(.timeLimit(.minutes(1))) struct HopScenarios {
    private let test = TestNode()
    private let ticks = Recorder<Int>()
    private let causes = Recorder<EffectID?>()

    private func poller() -> MockModule<Never> {
        MockModule("Poller") { [ticks, causes] effect in
            causes.record(Relux.Scope.current?.handler?.ancestry.last)
            switch effect as? Poll {
            case .tick(let n):
                ticks.record(n)
                performAsync(delay: .seconds(1)) { Poll.tick(n + 1) }
            case .prompt(let n):
                ticks.record(n)
                performAsync(delay: .zero) { Poll.prompt(n + 1) }
            case .awaited(let n):
                ticks.record(n)
                return await actions { Poll.awaited(n + 1) }
            case nil: break
            }
            return .success
        }
    }

    @Test func `a module that sends itself a delayed effect goes on for ever, each tick caused by the one before`() async throws {
        await test.relux.register { poller() }
        await test.dispatcher.actions { Poll.tick(1) }
        for n in 2...100 {
            try await test.clock.waitForSleepers(1)
            test.clock.advance(by: .seconds(1))
            try await ticks.wait(count: n)
        }
        #expect(ticks.elements == Array(1...100))
        // A tap shows the direct cause of it, and no longer chain.
        #expect(causes.elements.dropFirst(2).allSatisfy { $0?.module == "Poller" })
        #expect(test.logger.refused.isEmpty)
    }

    @Test func `a chain without time between its links ends at the limit, awaited or not, and says so`() async throws {
        await test.relux.register { poller() }
        await test.dispatcher.actions { Poll.awaited(1) }
        #expect(ticks.elements.count == 33)
        await test.dispatcher.actions { Poll.prompt(1) }
        try await test.logger.wait(for: "both refusals") { $0.count { $0.isRefused } == 2 }
        #expect(ticks.elements.count == 66)
        #expect(test.logger.refused.flatMap { $0.result.failures.map(\.code) } == ["hops", "hops"])
        #expect(test.logger.refused.allSatisfy { $0.result.failures.allSatisfy { $0.message.contains("; Poller probably answers itself") } })
    }
}
