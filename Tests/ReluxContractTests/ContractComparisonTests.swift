import ReluxContract
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct ContractComparisonTests {
    private static let topic: Topic = "A.Business.Effect"

    private func effect(_ cases: [CaseContract]) -> Contract { Contract(topics: [TopicContract(topic: Self.topic, cases: cases)]) }

    private func effect(_ fields: [FieldContract]) -> Contract { effect([CaseContract(name: "go", fields: fields)]) }

    private func snapshot(_ fields: [FieldContract]) -> Contract {
        Contract(snapshots: [SnapshotContract(topic: "A.Business.Snapshot", shape: PayloadShape(.structure, type: "S", fields: fields))])
    }

    private func field(_ label: String, _ kind: PayloadShape.Kind = .int, optional: Bool = false) -> FieldContract {
        FieldContract(label: label, type: "\(kind)", optional: optional, shape: PayloadShape(kind))
    }

    private func shaped(_ shape: PayloadShape) -> FieldContract { FieldContract(label: "x", type: shape.type ?? "T", shape: shape) }

    private func texts(_ old: Contract, _ new: Contract) -> [String] {
        ContractComparison(from: old, to: new).changes.map { ($0.isBreaking ? "! " : "") + $0.description }
    }

    @Test func `equal contracts have no changes, in whatever order their parts stand`() {
        let one = effect([CaseContract(name: "a", fields: [field("x"), field("y")]), CaseContract(name: "b")])
        let other = effect([CaseContract(name: "b"), CaseContract(name: "a", fields: [field("y"), field("x")])])
        #expect(texts(one, other).isEmpty)
    }

    @Test func `topics and cases may be added, not removed`() {
        let (less, more) = (effect([CaseContract(name: "a")]), effect([CaseContract(name: "a"), CaseContract(name: "b")]))
        #expect(texts(less, more) == ["A.Business.Effect.b is added"])
        #expect(texts(more, less) == ["! A.Business.Effect.b is removed"])
        #expect(texts(Contract(), less) == ["A.Business.Effect is added"])
        #expect(texts(less, Contract()) == ["! A.Business.Effect is removed"])
    }

    @Test func `a field may be added as optional; nothing else about fields may change`() {
        let base = effect([field("x")])
        #expect(texts(base, effect([field("x"), field("y", optional: true)])) == ["A.Business.Effect.go(y) is added"])
        #expect(texts(base, effect([field("x"), field("y")])) == ["! A.Business.Effect.go(y) is added and required"])
        #expect(texts(base, effect([FieldContract]())) == ["! A.Business.Effect.go(x) is removed"])
        #expect(texts(base, effect([field("x", optional: true)])) == ["! A.Business.Effect.go(x) became optional"])
        #expect(texts(effect([field("x", optional: true)]), base) == ["! A.Business.Effect.go(x) became required"])
        #expect(texts(base, effect([field("x", .text)])) == ["! A.Business.Effect.go(x) changed its type from int to text"])
    }

    @Test func `what a snapshot promises may grow, for only its owner writes it`() {
        #expect(texts(snapshot([field("x")]), snapshot([field("x"), field("y")])) == ["A.Business.Snapshot(y) is added and required"])
        #expect(texts(snapshot([field("x", optional: true)]), snapshot([field("x")])) == ["A.Business.Snapshot(x) became required"])
        #expect(texts(snapshot([field("x")]), snapshot([field("x", optional: true)])) == ["! A.Business.Snapshot(x) became optional"])
        #expect(texts(snapshot([field("x")]), Contract()) == ["! A.Business.Snapshot is removed"])
    }

    @Test func `types inside types are compared to their ends`() {
        func list(_ kind: PayloadShape.Kind) -> PayloadShape {
            PayloadShape(.array, of: [PayloadShape(.structure, type: "P", fields: [field("v", kind)])])
        }
        #expect(texts(effect([shaped(list(.int))]), effect([shaped(list(.double))])) == [
            "! A.Business.Effect.go(x)(v) changed its type from int to double"
        ])
        let (one, two) = (PayloadShape(.enumeration, type: "E", cases: [CaseContract(name: "a")]),
            PayloadShape(.enumeration, type: "E", cases: [CaseContract(name: "a"), CaseContract(name: "b")]))
        #expect(texts(effect([shaped(one)]), effect([shaped(two)])) == ["A.Business.Effect.go(x).b is added"])
        #expect(texts(effect([shaped(two)]), effect([shaped(one)])) == ["! A.Business.Effect.go(x).b is removed"])
        #expect(!texts(effect([shaped(one)]), effect([shaped(list(.int))])).isEmpty)
        let (sealed, plain) = (PayloadShape(.sealed, of: [PayloadShape(.text)]), PayloadShape(.text))
        #expect(texts(effect([shaped(sealed)]), effect([shaped(plain)])) == ["! A.Business.Effect.go(x) changed its type from sealed to text"])
    }

    @Test func `raw values may be added, not removed`() {
        func raw(_ values: [String]) -> Contract { effect([shaped(PayloadShape(.text, values: values))]) }
        #expect(texts(raw(["a"]), raw(["a", "b"])) == ["A.Business.Effect.go(x) takes b too"])
        #expect(texts(raw(["a", "b"]), raw(["a"])) == ["! A.Business.Effect.go(x) takes b no more"])
        #expect(texts(raw([]), raw(["a"])) == ["! A.Business.Effect.go(x) takes only a now"])
        #expect(texts(raw(["a"]), raw([])) == ["A.Business.Effect.go(x) takes any value now"])
    }

    @Test func `a type that contains itself may be renamed, not exchanged`() {
        func tree(_ name: String, _ inner: String) -> Contract {
            effect([
                shaped(
                    PayloadShape(
                        .structure, type: name,
                        fields: [FieldContract(label: "next", type: inner, optional: true, shape: PayloadShape(.reference, type: inner))]))
            ])
        }
        #expect(texts(tree("Node", "Node"), tree("Knot", "Knot")).isEmpty)
        #expect(texts(tree("Node", "Node"), tree("Node", "Other")) == ["! A.Business.Effect.go(x)(next) changed its type from Node to Other"])
    }

    @Test func `a type with a coding of its own is known by its name`() {
        func own(_ type: String) -> Contract { effect([FieldContract(label: "x", type: type, shape: nil)]) }
        #expect(texts(own("Blob"), own("Blob")).isEmpty)
        #expect(texts(own("Blob"), own("Clob")) == ["! A.Business.Effect.go(x) changed its type from Blob to Clob"])
    }
}
