import Relux
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Testing

/// A batch while it grows: what is written in which order, and what follows from whom.
@Suite struct JournalDraftTests {
    private static let answers = Topic.settlements(of: "Far")

    private static func effect(_ sequence: UInt64, payload: [UInt8] = [1]) -> WireRecord {
        .effect(EffectRecord(position: sequence, sequence: sequence, caseName: "a", memberVersion: 1, payload: payload[...]))
    }

    private static func settled(_ sequence: UInt64) -> WireRecord {
        .settled(SettledRecord(sequence: sequence, topic: "Work", effects: EffectRuns(position: sequence, sequence: sequence), status: .succeeded))
    }

    private static func acked(by recipient: ModuleID) -> WireRecord {
        .acked(
            AckedRecord(
                recipient: recipient, settlementSequence: 1, topic: "Work", effects: EffectRuns(position: 1, sequence: 1), status: .succeeded, result: []))
    }

    private static func cursor(of module: ModuleID, on topic: Topic) -> WireRecord { .cursor(CursorRecord(module: module, topic: topic, range: 1...2)) }

    /// The module of each part with the topics of its runs.
    private static func shape(_ parts: [JournalPart]) -> [String] {
        parts.map { "\($0.module): \($0.runs.map(\.topic.rawValue).joined(separator: " "))\($0.isLast ? "" : " …")" }
    }

    @Test func `a batch of one module is one append, what a handler said before the settlement that ends it`() throws {
        var draft = JournalDraft()
        draft.append(Self.settled(1), on: Self.answers, of: "A")
        draft.append(Self.cursor(of: "A", on: "Work"), on: CursorRecord.topic, of: "A")
        draft.append(Self.acked(by: "B"), on: AckedRecord.topic, of: "A")
        draft.append(Self.effect(1), on: "Work", of: "A")
        let parts = try draft.take().get()
        #expect(Self.shape(parts) == ["A: Work ~acked ~settled.Far ~cursor"])
        #expect(parts[0].foundations == ["B"])
        #expect(draft.isEmpty)
    }

    @Test func `of several modules, what one says of another comes behind what that one says`() throws {
        var draft = JournalDraft()
        draft.append(Self.acked(by: "B"), on: AckedRecord.topic, of: "A")
        draft.append(Self.cursor(of: "C", on: .settlements(of: "A")), on: CursorRecord.topic, of: "B")
        draft.append(Self.settled(1), on: Self.answers, of: "B")
        draft.append(Self.effect(1), on: "Work", of: "A")
        let parts = try draft.take().get()
        #expect(Self.shape(parts) == ["A: Work …", "B: ~settled.Far …", "A: ~acked", "B: ~cursor"])
        #expect(parts.map(\.foundations) == [[], [], ["B"], ["A"]])
    }

    @Test func `another run begins where the records reach others, or another life says them`() throws {
        var draft = JournalDraft()
        draft.append(Self.effect(1), on: "Work", of: "A", reaching: .everyone, epoch: Epoch(1))
        draft.append(Self.effect(2), on: "Work", of: "A", reaching: .everyone, epoch: Epoch(1))
        draft.append(Self.effect(3), on: "Work", of: "A", reaching: .taps, epoch: Epoch(1))
        draft.append(Self.effect(4), on: "Work", of: "A", reaching: .taps, epoch: Epoch(2))
        draft.append(Self.effect(5), on: "Work", of: "A")
        let parts = try draft.take().get()
        #expect(parts[0].runs.map(\.run.sequences) == [1...2, 3...3, 4...4, 5...5])
        #expect(parts[0].runs.map(\.reach) == [.everyone, .taps, .taps, .nobody])
        #expect(parts.reaching.map(\.epoch.rawValue) == [1, 1, 2])
        #expect(try parts[0].said().map(\.record) == (1...5).map { Self.effect($0) })
    }

    @Test func `a record over its limit keeps the whole batch from being written, and the next one is written`() throws {
        var draft = JournalDraft()
        draft.append(Self.effect(1), on: "Work", of: "A")
        draft.append(Self.effect(2, payload: [UInt8](repeating: 0, count: WireRecord.byteLimit + 1)), on: "Work", of: "B")
        draft.append(Self.effect(3), on: "Work", of: "A")
        guard case .failure(let refusal) = draft.take() else {
            Issue.record("it was taken")
            return
        }
        #expect(refusal.module == "B" && !refusal.isTemporary && refusal.description.contains("limit"))
        draft.append(Self.effect(4), on: "Work", of: "B")
        #expect(try draft.take().get().flatMap(\.runs).map(\.run.sequences) == [4...4])
    }

    @Test func `what a module that joins anew had said is not said`() throws {
        var draft = JournalDraft()
        draft.append(Self.effect(1), on: "Work", of: "A")
        draft.append(Self.effect(1), on: "Work", of: "B")
        draft.append(Self.acked(by: "B"), on: AckedRecord.topic, of: "A")
        draft.append(Self.effect(2, payload: [UInt8](repeating: 0, count: WireRecord.byteLimit + 1)), on: "Work", of: "A")
        draft.remove("A")
        draft.append(Self.effect(7), on: "Work", of: "A")
        #expect(Self.shape(try draft.take().get()) == ["A: Work", "B: Work"])
    }

    @Test func `many streams in one batch do not stay`() throws {
        var draft = JournalDraft()
        for number in 0..<500 { draft.append(Self.effect(1), on: Topic(stringLiteral: "Work\(number)"), of: "A") }
        #expect(try draft.take().get().map(\.runs.count) == [500])
        #expect(draft.laneCount == 0)
        draft.append(Self.effect(2), on: "Work1", of: "A")
        #expect(try draft.take().get().map(\.runs.count) == [1])
        #expect(draft.laneCount == 1)
    }
}
