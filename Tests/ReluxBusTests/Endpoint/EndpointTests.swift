import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxPlugin
import SimulationKit
import Testing

/// Turns of one process, without any thread.
@Suite struct EndpointTests {
    private static let now = Duration.seconds(1)

    private static func settled(
        _ position: UInt64, by recipient: ModuleID = "A", life: UInt64 = 0, _ durability: Relux.Durability = .process
    ) -> Relux.Settled {
        var settled = Relux.Settled(
            id: EffectID(module: "P", position: position), topic: CoreBench.work, sequence: position, recipient: recipient, result: .success,
            duration: .zero, life: life)
        settled.durability = durability
        return settled
    }

    private static func emission(_ sequence: UInt64, to recipients: [ModuleID] = ["Far"]) -> Relux.Emission {
        Relux.Emission(
            id: EffectID(module: "A", position: sequence), topic: CoreBench.work, sequence: sequence, caseName: "a", payload: [1], memberVersion: 0,
            recipients: Recipients(recipients))
    }

    /// With the modules `A` and `B`, whose coming is written.
    private static func endpoint() -> Endpoint {
        var endpoint = Endpoint(BusCore(host: "here", makeMarker: { Array(repeating: 1, count: ReadyRecord.markerByteCount) }))
        for module in ["A", "B"] as [ModuleID] {
            let declaration = ModuleDeclaration(id: module, version: "1.0.0", kind: .domain, handles: [CoreBench.work], emits: [CoreBench.work])
            endpoint.on { $1.actions += $0.add(declaration, epoch: Epoch(1), now: now) }
        }
        if let batch = endpoint.turn(isIdle: false, now: now, journal: nil) { _ = endpoint.written(batch) }
        return endpoint
    }

    private static func say(_ sequences: ClosedRange<UInt64>, _ endpoint: inout Endpoint) {
        var contents = Intake.Contents()
        contents.said = sequences.map { emission($0) }
        endpoint.take(contents, now: now) { 7 }
    }

    private static func turn(_ endpoint: inout Endpoint) throws -> Batch {
        let batch = endpoint.turn(isIdle: false, now: now, journal: nil)
        return try #require(batch)
    }

    /// The records of the batch, as the sequences of effects that they are about, by module.
    private static func said(_ batch: Batch) throws -> [String] {
        try batch.draft.get().flatMap { try $0.said() }.compactMap { said in
            switch said.record {
            case .effect(let effect): "\(said.module) says \(effect.sequence) at \(effect.wallTimeMilliseconds)"
            case .settled(let settled): "\(said.module) settles \(settled.effects.map(\.sequence))"
            default: nil
            }
        }
    }

    @Test func `what one life of a module settles in a row is one step, behind what was said`() throws {
        var (intake, endpoint) = (Intake(byteLimit: 1 << 20), Self.endpoint())
        let wakes = [intake.settle(Self.settled(1)), intake.settle(Self.settled(2)), intake.say(Self.emission(1)), intake.settle(Self.settled(3))]
        #expect(wakes == [true, false, false, false])
        _ = intake.settle(Self.settled(4, by: "B"))
        _ = intake.settle(Self.settled(5, by: "B"))
        _ = intake.settle(Self.settled(6))
        #expect(intake.queuedBytes == 7 * BusCore.recordOverhead + 1)
        endpoint.take(intake.take().contents, now: Self.now) { 7 }
        #expect(try Self.said(Self.turn(&endpoint)) == ["A says 1 at 7", "A settles [1, 2, 3]", "A settles [6]", "B settles [4, 5]"])
        #expect(endpoint.turn(isIdle: true, now: Self.now, journal: nil) == nil)
    }

    /// Also when the frames wait for a disk, because the publisher has said something that survives the loss of power.
    @Test(arguments: [false, true])
    func `that a transient effect is lost is told once its frames have left: the recipient's next life must not hear them`(isPressed: Bool) throws {
        var endpoint = Self.endpoint()
        func emission(_ sequence: UInt64, _ durability: Relux.Durability, to recipients: [ModuleID]) -> Relux.Emission {
            Relux.Emission(
                id: EffectID(module: "A", position: sequence), topic: durability == .machine ? "Safe.Effect" : CoreBench.work, sequence: sequence, caseName: "a",
                payload: [1], memberVersion: 0, recipients: Recipients(recipients), durability: durability)
        }
        var contents = Intake.Contents()
        if isPressed { contents.said = [emission(1, .machine, to: [])] }
        contents.said.append(emission(2, .transient, to: ["Far"]))
        endpoint.take(contents, now: Self.now) { 7 }
        func isPublished(_ letOut: LetOut) -> Bool { letOut.actions.contains { if case .publish = $0 { true } else { false } } }
        func isMissed(_ letOut: LetOut) -> Bool { letOut.actions.contains { if case .missed = $0 { true } else { false } } }
        var first = endpoint.written(try Self.turn(&endpoint)).entries
        if isPressed {
            #expect(!isPublished(first) && !isMissed(first))
            _ = endpoint.synced("A")
            first = endpoint.written(try Self.turn(&endpoint)).entries
        }
        #expect(isPublished(first) && !isMissed(first) && endpoint.hasLosses)
        let second = endpoint.turn(isIdle: true, now: Self.now, journal: nil)
        #expect(try isMissed(endpoint.written(#require(second)).entries) && !endpoint.hasLosses)
        #expect(endpoint.turn(isIdle: true, now: Self.now, journal: nil) == nil)
    }

    @Test func `a state that changed with a settlement is in the same step as it, and nothing else joins them`() throws {
        var intake = Intake(byteLimit: 1 << 20)
        let state = Relux.CapturedState(name: "sum", version: 1, bytes: [1, 2], reduced: [])
        _ = intake.settle(Self.settled(1))
        _ = intake.settle(.init(module: "A", life: 0, batch: [Settling]([Self.settled(2)]), states: [state]))
        _ = intake.settle(Self.settled(3))
        let steps = intake.take().contents.settled
        #expect(steps.map { $0.batch.flatMap { $0.effects.map(\.sequence) } } == [[1], [2], [3]])
        #expect(steps.map(\.states.count) == [0, 1, 0])
    }

    @Test func `what has to be on the disk is not taken by who must not wait`() throws {
        var (intake, endpoint) = (Intake(byteLimit: 1 << 20), Self.endpoint())
        _ = intake.settle(Self.settled(1))
        #expect(intake.isQuick)
        _ = intake.settle(Self.settled(2, .machine))
        _ = intake.settle(Self.settled(3))
        #expect(!intake.isQuick)
        endpoint.take(intake.take().contents, now: Self.now) { 7 }
        #expect(intake.isQuick)
        #expect(try Self.said(Self.turn(&endpoint)) == ["A settles [1]", "A settles [2]", "A settles [3]"])
        // Not before its publisher has taken it.
        #expect(!endpoint.mayTurnQuickly)
    }

    @Test func `a batch that finds no room comes again before all that was said since, and nothing leaves before it is written`() throws {
        var endpoint = Self.endpoint()
        Self.say(1...1, &endpoint)
        let released = endpoint.refused(try Self.turn(&endpoint), by: JournalRefusal(module: "A", description: "no room", isTemporary: true))
        #expect(released.runs.isEmpty && released.actions.isEmpty)
        #expect(endpoint.isStalled && !endpoint.mayTurnQuickly)
        #expect(endpoint.trouble == ClusterNote(.disk, "the journal of A takes nothing, 2 records wait: no room", of: "A"))
        Self.say(2...2, &endpoint)
        var again = try Self.turn(&endpoint)
        #expect(try again.draft.get().reaching.compactMap(\.run.positions) == [1...1])
        try again.write(to: nil)
        let (letOut, syncs) = endpoint.written(again)
        #expect(letOut.runs.compactMap(\.run.positions) == [1...1] && syncs.isEmpty)
        #expect(endpoint.trouble == nil && !endpoint.isStalled)
        #expect(try Self.said(Self.turn(&endpoint)) == ["A says 2 at 7"])
    }

    @Test func `the sending thread is woken once until it has found nothing`() {
        var intake = Intake(byteLimit: 1 << 20)
        func say() -> Bool { intake.say(Self.emission(1)) }
        #expect([say(), say()] == [true, false])
        _ = intake.take()
        // It looks again by itself.
        #expect(say() == false)
        #expect(intake.note() == false)
        _ = intake.take()
        _ = intake.take()
        #expect(say())
    }

    @Test func `there is room again when what was over the limit is sent, also if nothing comes behind it`() {
        var intake = Intake(byteLimit: 1000)
        for _ in 1...8 { _ = intake.say(Self.emission(1)) }
        #expect(intake.isFull)
        _ = intake.take()
        #expect(intake.isFull)
        _ = intake.take()
        #expect(!intake.isFull && intake.queuedBytes == 0)
    }

    @Test func `behind a batch that has waited for room the sending thread looks again, whatever had happened when it was taken`() throws {
        var endpoint = Self.endpoint()
        Self.say(1...1, &endpoint)
        let taken = endpoint.turn(isIdle: true, now: Self.now, journal: nil)
        let batch = try #require(taken)
        #expect(batch.isIdle)
        _ = endpoint.refused(batch, by: JournalRefusal(module: "A", description: "no room", isTemporary: true))
        #expect(try !Self.turn(&endpoint).isIdle)
    }

    @Test func `what a module keeps or is refused comes behind what it says and before what it settles`() throws {
        var (intake, endpoint) = (Intake(byteLimit: 1 << 20), Self.endpoint())
        _ = intake.settle(Self.settled(1))
        let kept = KeptRecord(cause: EffectID(module: "P", position: 1), valueName: "key", value: [1])
        _ = intake.note(.record(.kept(kept), on: KeptRecord.topic, of: "A", life: 0, nil), byteCount: 1)
        let refused = Relux.RefusedDispatch(
            module: "A", topic: "Other", caseName: "", ancestry: [], label: "", site: Relux.Site(file: "", line: 0, function: ""),
            failure: .closed("A"))
        _ = intake.note(.refused(refused, count: 2, isShown: false, wallTime: 0), byteCount: 1)
        _ = intake.say(Self.emission(1))
        endpoint.take(intake.take().contents, now: Self.now) { 7 }
        let topics = try Self.turn(&endpoint).draft.get().flatMap(\.runs).map(\.topic)
        #expect(topics == [CoreBench.work, RefusedRecord.topic, KeptRecord.topic, .settlements(of: "P")])
        #expect(endpoint.core.locals["A"]?.ledger.refusals.values.reduce(0, +) == 2)
    }

    @Test(arguments: [false, true]) func `a value that was heard while its owner's leaving waited to be told stays fresh`(_ isHeard: Bool) throws {
        var endpoint = Self.endpoint()
        let topic = try #require(Topic.snapshots(of: "Count"))
        endpoint.on { $1.actions.append(.snapshot(topic, payload: [], stale: true)) }
        if isHeard { endpoint.core.snapshots.heard[StreamID(publisher: "Far", topic: topic)] = SnapshotBook.Heard(version: 2, isStale: false) }
        let letOut = endpoint.written(try Self.turn(&endpoint)).entries
        #expect(letOut.actions.contains { if case .snapshot = $0 { true } else { false } } == !isHeard)
    }
}
