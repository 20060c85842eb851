import ReluxFeature
import Testing

@Suite struct IdentifiedArrayTests {
    private struct Row: Identifiable, Equatable, Codable {
        var id: Int
        var text = ""
    }

    @Test func `elements keep their order, and the first of an id`() {
        var rows: IdentifiedArrayOf<Row> = [Row(id: 2), Row(id: 1), Row(id: 2, text: "again")]
        #expect(rows.ids == [2, 1])
        #expect(rows[id: 2]?.text == "")
        let isTaken = rows.append(Row(id: 1))
        #expect(!isTaken)
        rows.insert(Row(id: 3), at: 0)
        #expect(rows.map(\.id) == [3, 2, 1])
        rows.remove(id: 2)
        #expect(rows.index(id: 1) == 1)
        rows[id: 1]?.text = "changed"
        #expect(rows[1].text == "changed")
        rows[id: 3] = nil
        #expect(rows.count == 1)
        rows.updateOrAppend(Row(id: 9))
        rows.move(id: 9, to: 0)
        #expect(rows.ids == [9, 1])
        rows.sort { $0.id < $1.id }
        #expect(rows.ids == [1, 9])
        rows.removeAll { $0.id == 9 }
        #expect(rows.ids == [1])
    }

    @Test func `an element does not change its id in place`() {
        var issues: [FeatureIssue] = []
        let rows = withReporter({ issues.append($0) }) {
            var rows: IdentifiedArrayOf<Row> = [Row(id: 1)]
            rows[id: 1] = Row(id: 2)
            return rows
        }
        #expect(rows.ids == [1])
        #expect(issues.count == 1)
    }

    @Test func `it is shown as its elements`() {
        let rows: IdentifiedArrayOf<Row> = [Row(id: 2), Row(id: 1)]
        let mirror = Mirror(reflecting: rows)
        #expect(mirror.displayStyle == .collection)
        #expect(mirror.children.map { ($0.value as? Row)?.id } == [2, 1])
        #expect("\(rows)" == "\([Row(id: 2), Row(id: 1)])")
    }

    private func withReporter<R>(_ report: @escaping (FeatureIssue) -> Void, _ body: () -> R) -> R {
        // The closure is called on this thread only, inside `body`.
        nonisolated(unsafe) let report = report
        return FeatureIssue.$reporter.withValue({ report($0) }, operation: body)
    }

    @Test func `texts as ids are told apart byte for byte`() {
        struct Named: Identifiable, Equatable {
            var id: TextID
        }
        let spellings: [TextID] = ["e\u{301}", "\u{e9}"]
        var names = IdentifiedArrayOf<Named>(spellings.map { Named(id: $0) }, id: \.id)
        #expect(names.count == 2 && spellings[0].text == spellings[1].text && spellings[0] != spellings[1])
        names.remove(id: spellings[0])
        #expect(names.ids == [spellings[1]] && spellings.sorted() == spellings)
    }
}
