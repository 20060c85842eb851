import BusProbeKit
import Relux
import ReluxControl
@testable import ReluxHost
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import Synchronization
import Testing

/// Lets those through who wait at it once it is open.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))
    /// Somebody waits.
    var isReached: Bool { state.withLock { !$0.waiting.isEmpty } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A total that is gone when it was cleaned up.
private actor CleanTally: Relux.RestorableState {
    static let storedName = "Tally"
    private(set) var stored = 0
    private let restoring: Gate?
    init(restoring: Gate? = nil) { self.restoring = restoring }
    func restore(_ stored: Int) async {
        self.stored = stored
        await restoring?.pass()
    }
    func reduce(with action: any Relux.Action) { if let effect = action as? any NumberedEffect { stored += effect.number } }
    func cleanup() { stored = 0 }
}

/// Answers with the total; of one number only when the gate is open.
private actor Gated: Relux.Flow {
    private let state: CleanTally
    private let gate: (number: Int, gate: Gate)?
    init(_ state: CleanTally, _ gate: (number: Int, gate: Gate)?) { (self.state, self.gate) = (state, gate) }
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        if let gate, (effect as? any NumberedEffect)?.number == gate.number { await gate.gate.pass() }
        return .success(await state.stored)
    }
}

/// A life has one end.
@Suite(.timeLimit(.minutes(2))) struct TwoEndsTests {
    private static func box(_ version: String, _ gate: Gate? = nil) -> PluginBox {
        Tallying.box(version) {
            let state = CleanTally()
            return Tallying(states: [state], sagas: [Gated(state, gate.map { (4, $0) })])
        }
    }

    /// A state that was cleaned up is not what it was: the two ends must not get into each other's way.
    @Test(arguments: 0..<8) func `a process that ends while it hands over gives up the state as it was`(round: Int) async throws {
        let gate = Gate()
        try await HandOverBench.play(Self.box("1.0.0", gate)) { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Self.box("2.0.0"))
            async let answer = bench.buy(4)
            while !gate.isReached { await Task.yield() }
            let runtime = try #require(bench.runtime(of: "old"))
            bench.broker.tell("old", .handOver(module: "Shop", older: [:]))
            while await runtime.machine.modules["Shop"]?.life.state.phase != .draining { await Task.yield() }
            runtime.requestEnd()
            while await !runtime.machine.isEnding { await Task.yield() }
            gate.open()
            #expect(try await bench.ended("old") == .done)
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await answer == 7)
            #expect(try await bench.buy(5) == 12)
        }
    }

    @Test func `a module that is refused while it is set up leaves no journal behind that nobody else may write`() async throws {
        let gate = Gate()
        // Its next life waits with what it has restored.
        let first = Tallying.box("1.0.0") {
            let state = CleanTally(restoring: gate)
            return Tallying(states: [state], sagas: [Gated(state, nil)])
        }
        struct Idle: Relux.Plugin {
            static let moduleID: ModuleID = "Idle"
            let states: [any Relux.AnyState] = []
            let sagas: [any Relux.Saga] = []
        }
        try await HandOverBench.play(first, neighbour: PluginBox(Idle.self)) { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Self.box("2.0.0"))
            try await bench.handOver(from: "old")
            try await bench.serve(at: "old")
            while !gate.isReached { await Task.yield() }
            bench.broker.tell("old", .refuse(module: "Shop", code: "being-removed", message: "its drain was cut"))
            bench.broker.tell("old", .drain(module: "Shop"))
            let runtime = try #require(bench.runtime(of: "old"))
            while await runtime.machine.modules["Shop"] != nil { await Task.yield() }
            gate.open()
            try await bench.broker.heard.wait(for: "its leave") { heard in
                heard.said.contains { if case .left("Shop") = $0.message { $0.host == "old" } else { false } }
            }
            #expect(await runtime.machine.modules["Idle"] != nil)
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(4) == 7)
        }
    }

    @Test func `a process that ends while it restores a module does not seal the journal, for no life of it has begun`() async throws {
        let gate = Gate()
        let first = Tallying.box("1.0.0") {
            let state = CleanTally(restoring: gate)
            return Tallying(states: [state], sagas: [Gated(state, nil)])
        }
        try await HandOverBench.play(first) { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Self.box("2.0.0"))
            try await bench.handOver(from: "old")
            try await bench.serve(at: "old")
            while !gate.isReached { await Task.yield() }
            try #require(bench.runtime(of: "old")).requestEnd()
            #expect(try await bench.ended("old") == .done)
            let journals = ModuleJournals(environment: try .live())
            #expect(try journals.open("Shop", at: bench.run.journal(of: "Shop"), epoch: Epoch(3)).recovery.wasSealed == false)
            journals.abandon("Shop")
            gate.open()
            try await bench.serve(at: "new")
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(4) == 7)
        }
    }
}
