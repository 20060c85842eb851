import Relux
@testable import ReluxBus
import Testing

@Suite struct WithheldTests {
    private func publish(_ module: ModuleID, _ sequence: UInt64) -> Withheld.Entry {
        let effect = EffectRecord(position: sequence, sequence: sequence, caseName: "a", payload: [])
        return .action(.publish(StreamID(publisher: module, topic: "Work"), Epoch(1), .effect(effect), tapOnly: false))
    }

    private func settle(_ publisher: ModuleID, by recipient: ModuleID) -> Withheld.Entry {
        let record = SettledRecord(sequence: 1, topic: "Work", effects: EffectRuns(position: 1, sequence: 1))
        return .action(.settle(record, of: publisher, by: recipient))
    }

    private func names(_ entries: [Withheld.Entry]) -> [String] {
        entries.map { entry in
            switch entry {
            case .action(.publish(let stream, _, .effect(let effect), _)): "\(stream.publisher) \(effect.sequence)"
            case .action(.settle(let record, let publisher, let recipient)):
                "\(recipient) settles \(record.effects.map { "\(EffectID(module: publisher, position: $0.position))" }.joined(separator: ", "))"
            default: "\(entry)"
            }
        }
    }

    @Test func `who needs no disk passes by, and so do others while one waits`() {
        var withheld = Withheld()
        #expect(withheld.admit([publish("A", 1)], pressing: []).free.count == 1)
        let (free, starts) = withheld.admit([publish("A", 2), publish("B", 1)], pressing: ["A"])
        #expect(names(free) == ["B 1"] && starts == ["A"])
        #expect(names(withheld.admit([publish("B", 2)], pressing: []).free) == ["B 2"])
    }

    @Test func `what comes while a sync runs waits for the next one, all of it for one, in order`() {
        var withheld = Withheld()
        #expect(withheld.admit([publish("A", 1)], pressing: ["A"]).starts == ["A"])
        #expect(withheld.admit([publish("A", 2)], pressing: ["A"]).starts.isEmpty)
        #expect(withheld.admit([publish("A", 3)], pressing: []).free.isEmpty)
        #expect(withheld.admit([publish("A", 4)], pressing: ["A"]).starts.isEmpty)
        #expect(withheld.synced("A") == true)
        #expect(names(withheld.takeReleased()) == ["A 1"])
        #expect(withheld.synced("A") == false)
        #expect(names(withheld.takeReleased()) == ["A 2", "A 3", "A 4"] && withheld.isEmpty)
    }

    @Test func `what needs no sync of its own leaves with the one that runs, behind it`() {
        var withheld = Withheld()
        _ = withheld.admit([publish("A", 1)], pressing: ["A"])
        _ = withheld.admit([publish("A", 2)], pressing: [])
        #expect(withheld.synced("A") == false)
        #expect(names(withheld.takeReleased()) == ["A 1", "A 2"] && withheld.isEmpty)
    }

    @Test func `what is released leaves before what is said behind it, whoever comes first`() {
        var withheld = Withheld()
        _ = withheld.admit([publish("A", 1)], pressing: ["A"])
        // The sync ends between two turns of the sending thread.
        #expect(withheld.synced("A") == false)
        #expect(names(withheld.admit([publish("A", 2)], pressing: []).free) == ["A 1", "A 2"])
        _ = withheld.admit([publish("A", 3)], pressing: ["A"])
        #expect(withheld.synced("A") == false)
        let (free, starts) = withheld.admit([publish("A", 4), publish("B", 1)], pressing: ["A"])
        #expect(names(free) == ["A 3", "B 1"] && starts == ["A"] && !withheld.isEmpty)
    }

    @Test func `an answer waits for both of its journals`() {
        var withheld = Withheld()
        _ = withheld.admit([settle("A", by: "B")], pressing: ["A", "B"])
        #expect(withheld.synced("B") == false)
        #expect(names(withheld.takeReleased()) == [])
        #expect(withheld.synced("A") == false)
        #expect(names(withheld.takeReleased()) == ["B settles A#1"])
        _ = withheld.admit([settle("A", by: "B")], pressing: ["A", "B"])
        #expect(withheld.synced("A") == false)
        #expect(names(withheld.takeReleased()) == [])
        #expect(withheld.synced("B") == false)
        #expect(names(withheld.takeReleased()) == ["B settles A#1"] && withheld.isEmpty)
    }
}
