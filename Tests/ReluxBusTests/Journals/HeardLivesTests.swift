import JournalFaults
import Relux
import ReluxJournal
@testable import ReluxLedger
import ReluxWire
import SimulationKit
import Testing

/// Which lives of others a journal names.
@Suite struct HeardLivesTests {
    private static let other = EffectID(module: "There", position: Epoch(7).start + 2)

    /// The records that name the seventh life of There, each alone.
    private static let witnesses: [(topic: Topic, record: WireRecord)] = [
        (CursorRecord.topic, .cursor(CursorRecord(module: "There", topic: CoreBench.work, range: 1...Epoch(7).start))),
        (.settlements(of: "There"), .settled(SettledRecord(sequence: 1, topic: CoreBench.work, effects: EffectRuns(position: 1, sequence: other.position), status: .succeeded))),
        (
            AckedRecord.topic,
            .acked(AckedRecord(recipient: "There", settlementSequence: other.position, topic: CoreBench.work, effects: EffectRuns(position: 1, sequence: 1), status: .succeeded))
        ),
        (CoreBench.work, .effect(EffectRecord(position: 1, sequence: 1, caseName: "a", ancestry: [other], payload: [1]))),
        (KeptRecord.topic, .kept(KeptRecord(cause: other, valueName: "a", value: [1]))),
        (AttemptRecord.topic, .attempt(AttemptRecord(effect: other, deaths: 1, wasAlone: true))),
        (StateRecord.topic, .state(StateRecord(stateName: "a", version: 1, reduced: [other], value: [1]))),
    ]

    @Test(arguments: witnesses.indices) func `whatever a journal has of another module's life names it`(_ index: Int) {
        var lives = HeardLives(of: "Here")
        lives.take(Self.witnesses[index].topic, Self.witnesses[index].record)
        #expect(lives.epochs == ["There": Epoch(7)])
    }

    @Test func `a module's own numbers name nobody`() {
        var lives = HeardLives(of: "Here")
        let own = Topic.settlements(of: "There")
        lives.take(own, .settled(SettledRecord(sequence: Epoch(9).start + 1, topic: CoreBench.work, effects: EffectRuns(position: 1, sequence: Epoch(2).start + 1), status: .succeeded)))
        // There has taken what Here has settled, up to a number of Here.
        lives.take(CursorRecord.topic, .cursor(CursorRecord(module: "There", topic: own, range: 0...Epoch(9).start)))
        lives.take(KeptRecord.topic, .kept(KeptRecord(cause: EffectID(module: "Here", position: Epoch(9).start + 1), valueName: "a", value: [1])))
        #expect(lives.epochs == ["There": Epoch(2)])
    }

    @Test func `a journal tells by its checkpoint and by what was appended since`() throws {
        let disk = MemoryDisk()
        let environment = JournalEnvironment(
            files: disk, bootID: try #require(BootID(parsing: "00000000-0000-4000-8000-000000000001")), processID: 7, wallMilliseconds: { 1000 },
            random: { 11 })
        func live(_ epoch: UInt64, saying records: [(topic: Topic, record: WireRecord)]) throws -> [ModuleID: Epoch] {
            let journals = ModuleJournals(environment: environment)
            _ = try journals.open("Here", at: "/Here", epoch: Epoch(epoch))
            let unwritten = records.map { Said(module: "Here", topic: $0.topic, record: $0.record) }
            try journals.append(unwritten)
            journals.closeAll()
            return try HeardLives.read(of: "Here", at: "/Here", environment: environment).epochs
        }
        #expect(try live(1, saying: [Self.witnesses[0]]) == ["There": Epoch(7)])
        // The next life begins with a checkpoint of what the first has done.
        #expect(try live(2, saying: [(KeptRecord.topic, .kept(KeptRecord(cause: EffectID(module: "Else", position: Epoch(3).start + 1), valueName: "a", value: [1])))])
            == ["There": Epoch(7), "Else": Epoch(3)])
        #expect(throws: JournalError.self) { try HeardLives.read(of: "There", at: "/There", environment: environment) }
    }
}
