import Relux
import ReluxContract
import ReluxPlugin
import ReluxWire
import Testing

/// Every kind of change, as the fields of one case of an effect or of a snapshot, with what is said of it.
@Suite struct ContractVerdictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let old: Contract
        let new: Contract
        let verdict: ContractComparison.Verdict
        let changes: [String]
        var testDescription: String { name }
    }

    private static func field(_ label: String, _ kind: PayloadShape.Kind = .int, optional: Bool = false) -> FieldContract {
        FieldContract(label: label, type: "\(kind)", optional: optional, shape: PayloadShape(kind))
    }

    private static func shaped(_ shape: PayloadShape) -> FieldContract { FieldContract(label: "x", type: "T", shape: shape) }

    private static func effect(_ cases: [CaseContract], _ durable: Bool = true) -> Contract {
        Contract(topics: [TopicContract(topic: "A.Effect", cases: cases, durability: durable ? .process : .transient)])
    }

    private static func fields(_ fields: FieldContract...) -> Contract { effect([CaseContract(name: "go", fields: fields)]) }
    private static func cases(_ names: String...) -> Contract { effect(names.map { CaseContract(name: $0) }) }

    private static func snapshot(_ fields: FieldContract...) -> Contract {
        Contract(snapshots: [SnapshotContract(topic: "A.Snapshot", shape: PayloadShape(.structure, type: "S", fields: fields))])
    }

    private static func inner(_ names: String...) -> PayloadShape {
        PayloadShape(.enumeration, type: "E", cases: names.map { CaseContract(name: $0) })
    }

    private static func values(_ values: String...) -> PayloadShape { PayloadShape(.text, type: "V", values: values) }

    static let rows: [Row] = [
        // Cases.
        .init(name: "nothing", old: cases("a"), new: cases("a"), verdict: .compatible, changes: []),
        .init(name: "order of cases", old: cases("a", "b"), new: cases("b", "a"), verdict: .compatible, changes: []),
        .init(name: "case added", old: cases("a"), new: cases("a", "b"), verdict: .newVersion, changes: ["A.Effect.b is added"]),
        .init(name: "case removed", old: cases("a", "b"), new: cases("a"), verdict: .breaking, changes: ["A.Effect.b is removed"]),
        .init(name: "case renamed", old: cases("a", "b"), new: cases("a", "c"), verdict: .breaking, changes: ["A.Effect.b is renamed to c"]),
        .init(
            name: "case renamed and another added: nobody knows which", old: cases("b"), new: cases("c", "d"), verdict: .breaking,
            changes: ["A.Effect.b is removed", "A.Effect.c is added", "A.Effect.d is added"]),
        .init(
            name: "case removed and another one added", old: effect([CaseContract(name: "a", fields: [field("x")])]), new: cases("b"),
            verdict: .breaking, changes: ["A.Effect.a is removed", "A.Effect.b is added"]),
        // Fields.
        .init(name: "order of labelled fields", old: fields(field("x"), field("y")), new: fields(field("y"), field("x")), verdict: .compatible, changes: []),
        .init(
            name: "order of fields without labels", old: fields(field("_0"), field("_1", .text)), new: fields(field("_0", .text), field("_1")),
            verdict: .breaking,
            changes: ["A.Effect.go(_0) changed its type from int to text", "A.Effect.go(_1) changed its type from text to int"]),
        .init(
            name: "optional field added", old: fields(field("x")), new: fields(field("x"), field("y", optional: true)), verdict: .newVersion,
            changes: ["A.Effect.go(y) is added"]),
        .init(
            name: "required field added", old: fields(field("x")), new: fields(field("x"), field("y")), verdict: .breaking,
            changes: ["A.Effect.go(y) is added and required"]),
        .init(name: "field removed", old: fields(field("x")), new: fields(), verdict: .breaking, changes: ["A.Effect.go(x) is removed"]),
        .init(
            name: "optional field removed", old: fields(field("x", optional: true)), new: fields(), verdict: .breaking,
            changes: ["A.Effect.go(x) is removed"]),
        .init(
            name: "field renamed", old: fields(field("x")), new: fields(field("y")), verdict: .breaking,
            changes: ["A.Effect.go(x) is renamed to y"]),
        .init(
            name: "type changed", old: fields(field("x")), new: fields(field("x", .text)), verdict: .breaking,
            changes: ["A.Effect.go(x) changed its type from int to text"]),
        .init(
            name: "became optional", old: fields(field("x")), new: fields(field("x", optional: true)), verdict: .breaking,
            changes: ["A.Effect.go(x) became optional"]),
        .init(
            name: "became required", old: fields(field("x", optional: true)), new: fields(field("x")), verdict: .breaking,
            changes: ["A.Effect.go(x) became required"]),
        .init(
            name: "became a secret", old: fields(shaped(PayloadShape(.text))), new: fields(shaped(PayloadShape(.sealed, of: [PayloadShape(.text)]))),
            verdict: .breaking, changes: ["A.Effect.go(x) changed its type from text to sealed"]),
        // Inside a field.
        .init(
            name: "inner case added", old: fields(shaped(inner("a"))), new: fields(shaped(inner("a", "b"))), verdict: .newVersion,
            changes: ["A.Effect.go(x).b is added"]),
        .init(
            name: "inner case renamed", old: fields(shaped(inner("a"))), new: fields(shaped(inner("b"))), verdict: .breaking,
            changes: ["A.Effect.go(x).a is renamed to b"]),
        .init(
            name: "raw value added", old: fields(shaped(values("a"))), new: fields(shaped(values("a", "b"))), verdict: .newVersion,
            changes: ["A.Effect.go(x) takes b too"]),
        .init(
            name: "raw value removed", old: fields(shaped(values("a", "b"))), new: fields(shaped(values("a"))), verdict: .breaking,
            changes: ["A.Effect.go(x) takes b no more"]),
        .init(name: "order of raw values", old: fields(shaped(values("a", "b"))), new: fields(shaped(values("b", "a"))), verdict: .compatible, changes: []),
        // Topics.
        .init(name: "topic added", old: Contract(), new: cases("a"), verdict: .newVersion, changes: ["A.Effect is added"]),
        .init(name: "topic removed", old: cases("a"), new: Contract(), verdict: .breaking, changes: ["A.Effect is removed"]),
        .init(
            name: "durability changed", old: cases("a"), new: effect([CaseContract(name: "a")], false), verdict: .newVersion,
            changes: ["A.Effect survives transient, not process"]),
        // Snapshots go one way.
        .init(
            name: "snapshot: required field added", old: snapshot(field("x")), new: snapshot(field("x"), field("y")), verdict: .newVersion,
            changes: ["A.Snapshot(y) is added and required"]),
        .init(
            name: "snapshot: field removed", old: snapshot(field("x"), field("y")), new: snapshot(field("x")), verdict: .breaking,
            changes: ["A.Snapshot(y) is removed"]),
        .init(
            name: "snapshot: became required", old: snapshot(field("x", optional: true)), new: snapshot(field("x")), verdict: .newVersion,
            changes: ["A.Snapshot(x) became required"]),
        .init(
            name: "snapshot: became optional", old: snapshot(field("x")), new: snapshot(field("x", optional: true)), verdict: .breaking,
            changes: ["A.Snapshot(x) became optional"]),
        .init(
            name: "snapshot: a case that no reader knows", old: snapshot(shaped(inner("a"))), new: snapshot(shaped(inner("a", "b"))),
            verdict: .breaking, changes: ["A.Snapshot(x).b is added"]),
        .init(
            name: "snapshot: a case that is written no more", old: snapshot(shaped(inner("a", "b"))), new: snapshot(shaped(inner("a"))),
            verdict: .newVersion, changes: ["A.Snapshot(x).b is removed"]),
        .init(
            name: "snapshot: a value that no reader knows", old: snapshot(shaped(values("a"))), new: snapshot(shaped(values("a", "b"))),
            verdict: .breaking, changes: ["A.Snapshot(x) takes b too"]),
        .init(
            name: "snapshot: a value that is written no more", old: snapshot(shaped(values("a", "b"))), new: snapshot(shaped(values("a"))),
            verdict: .newVersion, changes: ["A.Snapshot(x) takes b no more"]),
        .init(name: "snapshot: removed", old: snapshot(field("x")), new: Contract(), verdict: .breaking, changes: ["A.Snapshot is removed"]),
    ]

    @Test(arguments: rows)
    func `each kind of change has its verdict and names its place`(_ row: Row) {
        let comparison = ContractComparison(from: row.old, to: row.new)
        #expect(comparison.verdict == row.verdict)
        #expect((comparison.changes + comparison.durabilities).map(\.description) == row.changes)
    }
}
