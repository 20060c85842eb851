@testable import ReluxFeature
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

    @Test func `it is changed by place, as an array is`() {
        var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2), Row(id: 3)]
        rows[0].text = "first"
        #expect(rows[id: 1]?.text == "first")
        rows.append(contentsOf: [Row(id: 3, text: "again"), Row(id: 4), Row(id: 5)])
        #expect(rows.ids == [1, 2, 3, 4, 5])
        #expect(rows[id: 3]?.text == "")
        #expect(rows.remove(at: 0).text == "first")
        #expect(rows.removeLast().id == 5)
        #expect(rows.removeFirst().id == 2)
        #expect(rows.remove(Row(id: 4, text: "of the same id"))?.id == 4)
        #expect(rows.ids == [3])
        rows.insert(contentsOf: [Row(id: 6), Row(id: 3), Row(id: 7)], at: 0)
        #expect(rows.ids == [6, 7, 3])
        #expect(rows.updateOrInsert(Row(id: 8), at: 1) == nil)
        #expect(rows.updateOrInsert(Row(id: 7, text: "new"), at: 0) == Row(id: 7))
        #expect(rows.ids == [6, 8, 7, 3])
        rows.swapAt(0, 3)
        #expect(rows.ids == [3, 8, 7, 6])
        rows.reverse()
        #expect(rows.ids == [6, 7, 8, 3])
        rows.move(fromOffsets: [0, 2], toOffset: 4)
        #expect(rows.ids == [7, 3, 6, 8])
        rows.move(fromOffsets: [3], toOffset: 0)
        #expect(rows.ids == [8, 7, 3, 6])
        #expect(rows.partition { $0.id > 6 } == 2)
        #expect(rows.ids == [3, 6, 8, 7])
        rows.removeSubrange(1...2)
        #expect(rows.ids == [3, 7])
        rows += [Row(id: 9), Row(id: 10)]
        rows.remove(atOffsets: [0, 2])
        #expect(rows.ids == [7, 10])
        rows.removeLast(1)
        rows.removeFirst(1)
        #expect(rows.isEmpty)
        rows.append(contentsOf: (0..<50).map { Row(id: $0) })
        rows.shuffle()
        #expect(rows.ids.sorted() == Array(0..<50))
        for id in 0..<50 { #expect(rows[rows.index(id: id)!].id == id) }
        rows.removeAll(keepingCapacity: true)
        #expect(rows.isEmpty)
    }

    @Test func `a filter keeps the type, and elements of one id are made one`() {
        let rows = IdentifiedArray([Row(id: 1, text: "a"), Row(id: 2), Row(id: 1, text: "b")], uniquingIDsWith: { Row(id: $0.id, text: $0.text + $1.text) })
        #expect(rows.map(\.text) == ["ab", ""])
        let kept: IdentifiedArrayOf<Row> = rows.filter { $0.id == 2 }
        #expect(kept.ids == [2])
        let texts = IdentifiedArray(uniqueElements: ["b", "a", "b"], id: \String.self)
        #expect(texts.ids == ["b", "a"])
        #expect(texts.sorted().ids == ["a", "b"])
    }

    @Test func `an element that moves is the same instance, one that comes back is another`() throws {
        var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2), Row(id: 3)]
        let births = rows.birthsByID
        rows.swapAt(0, 2)
        rows.move(fromOffsets: [0], toOffset: 3)
        rows.partition { $0.id == 2 }
        rows[0].text = "changed"
        #expect(rows.birthsByID.allSatisfy { births[$0]?.isSame(as: $1) == true })
        let first = rows.removeFirst()
        rows.append(first)
        #expect(try #require(rows.birthsByID[first.id]).isSame(as: try #require(births[first.id])) == false)
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

extension IdentifiedArray {
    fileprivate var birthsByID: [ID: InstanceID] { Dictionary(uniqueKeysWithValues: zip(ids, births)) }
}
