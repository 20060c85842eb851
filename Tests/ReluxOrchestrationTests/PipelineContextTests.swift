import Relux
@testable import ReluxOrchestration
import ReluxTestKit
import Testing

@Suite struct PipelineContextTests {
    @Test func `what is codable crosses processes with its type, of the rest the reason is known`() {
        struct Plain: Sendable {}
        let context = PipelineContext()
        context.set("n", 7)
        context.set("plain", Plain())
        context.set("large", [UInt8](repeating: 200, count: PipelineContext.byteLimit + 1))
        #expect(context.coded.left.keys.sorted() == ["large", "plain"])
        #expect(context.coded.left["plain"]?.hasSuffix("Plain is not Codable") == true)
        #expect(context.coded.left["large"]?.contains("the limit is \(PipelineContext.byteLimit)") == true)
        let other = PipelineContext(values: context.coded.values)
        #expect(other.get("n", as: Int.self) == 7)
        #expect(other.keys == ["n"])
    }

    @Test func `a value of the wrong type is nil on both sides, and a message names key, expected and found`() {
        let warnings = Log()
        let here = ContextEntries(warn: warnings.record)
        let context = PipelineContext(entries: here)
        context.set("posts", ["a"])
        #expect(context.get("posts", as: Int.self) == nil)
        let there = PipelineContext(entries: ContextEntries(values: context.coded.values, warn: warnings.record))
        // An Int8 would decode as an Int: it is the name that counts.
        there.set("n", Int8(3))
        #expect(there.get("posts", as: String.self) == nil)
        #expect(there.get("n", as: Int.self) == nil)
        #expect(
            warnings.elements == [
                "\"posts\" was asked for as Int and is Array<Swift.String>; ask for it as what it was set as",
                "\"posts\" was asked for as String and is Array<Swift.String>; ask for it as what it was set as",
                "\"n\" was asked for as Int and is Int8; ask for it as what it was set as",
            ])
    }

    @Test func `what is required and missing is an error that names the keys that are there`() {
        let context = PipelineContext()
        context.set("user", "u1")
        #expect(throws: PipelineContextError.self) { try context.require("posts", as: Int.self) }
        do {
            _ = try context.require("posts", as: Int.self)
        } catch {
            #expect(error.message.contains("nothing is set for \"posts\" (set are: user)"))
        }
    }

    @Test func `a value is not coded before somebody elsewhere needs it`() {
        struct Counted: Codable, Sendable {
            static let coded = Log()
            func encode(to encoder: any Encoder) throws {
                Self.coded.record("coded")
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        let context = PipelineContext()
        context.set("counted", Counted())
        #expect(context.get("counted", as: Counted.self) != nil)
        #expect(Counted.coded.elements.isEmpty)
        #expect(context.coded.values.keys.sorted() == ["counted"])
        #expect(Counted.coded.elements.count == 1)
    }

    @Test func `what changed since the values came is told, and no more`() {
        let before = PipelineContext()
        before.set("kept", 1)
        before.set("old", 2)
        let context = PipelineContext(values: before.coded.values)
        context.set("new", "x")
        context.remove("old")
        #expect(context.changes.values.keys.sorted() == ["new"])
        #expect(context.changes.removed == ["old"])
        let changes = context.changes
        before.take(changes.values, removed: changes.removed)
        #expect(before.keys == ["kept", "new"])
        #expect(before.get("new", as: String.self) == "x")
    }
}
