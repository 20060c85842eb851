import FoundationEssentials
import ReluxFiles
import Testing

@Suite struct TextKeyedTests {
    private let spellings = ["\u{e9}", "e\u{301}"]

    @Test func `two spellings of one text are two keys`() {
        #expect(spellings[0] == spellings[1])
        var values = TextKeyed<Int>()
        values[spellings[0]] = 1
        #expect(values[spellings[1]] == nil)
        values[spellings[1], default: 5] += 1
        #expect(values[spellings[0]] == 1 && values[spellings[1]] == 6)
        #expect(values.removeValue(forKey: spellings[0]) == 1 && values.all.map(\.value) == [6])
        #expect(TextKeyed([("a", 1), ("a", 2)])["a"] == 2)
        #expect(TextKeyed([("a", 1), ("a", 2)]) { $0 + $1 }["a"] == 3)
    }

    @Test func `it is stored as an object by text, and nothing is lost in it`() throws {
        let plain = TextKeyed([("a", 1), ("b", 2)])
        #expect(try JSONDecoder().decode([String: Int].self, from: try JSONEncoder().encode(plain)) == ["a": 1, "b": 2])
        let hard = TextKeyed(spellings.enumerated().map { ($1, $0) } + [("", 2), ("\u{0}utf8:61", 3), ("a", 4)])
        let stored = try JSONEncoder().encode(hard)
        let read = try JSONDecoder().decode(TextKeyed<Int>.self, from: stored)
        #expect(read == hard && read.all.count == 5)
        #expect(read[spellings[1]] == 1 && read["\u{0}utf8:61"] == 3)
    }
}
