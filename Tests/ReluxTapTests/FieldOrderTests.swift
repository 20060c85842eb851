import ReluxPlugin
import ReluxTap
import ReluxWire
import Testing

@Suite struct FieldOrderTests {
    private let user = PayloadShape(
        .structure, type: "Auth.User",
        fields: [
            FieldContract(label: "name", type: "String", shape: PayloadShape(.text)),
            FieldContract(label: "id", type: "Int", shape: PayloadShape(.int)),
        ])

    private var order: FieldOrder {
        FieldOrder([
            TopicContract(
                topic: "Auth.Effect",
                cases: [
                    CaseContract(
                        name: "login",
                        fields: [
                            FieldContract(label: "users", type: "[Auth.User]", shape: PayloadShape(.array, of: [user])),
                            FieldContract(label: "at", type: "Int", shape: PayloadShape(.int)),
                        ])
                ])
        ])
    }

    private let wire: CBORValue = {
        let user = CBORValue.map([
            .init(.text("id"), .unsigned(1)), .init(.text("more"), .bool(true)), .init(.text("name"), .text("a")),
        ])
        return .map([
            .init(
                .text("login"), .map([.init(.text("at"), .unsigned(7)), .init(.text("users"), .array([user]))]))
        ])
    }()

    @Test func `fields stand in declared order at every depth, unknown ones behind them`() throws {
        let ordered = try #require(order.value(of: wire.encoded()[...], on: "Auth.Effect"))
        #expect(ordered.swiftDescription() == #"login(users: [(name: "a", id: 1, more: true)], at: 7)"#)
    }

    @Test func `without a contract the payload stays as it is`() {
        #expect(order.value(of: wire.encoded()[...], on: "Other.Effect") == wire)
        #expect(order.value(of: [0xff], on: "Auth.Effect") == nil)
    }

    @Test func `an answer has the order of a type that some effect carries, also without an optional, and else that of its names`() throws {
        func text(_ pairs: [(String, CBORValue)]) -> String? {
            order.value(ofAnswer: CBORValue.map(pairs.map { .init(.text($0.0), $0.1) }).encoded()[...])?.swiftDescription()
        }
        #expect(text([("id", .unsigned(1)), ("name", .text("a"))]) == #"(name: "a", id: 1)"#)
        #expect(text([("found", .array([.map([.init(.text("id"), .unsigned(1)), .init(.text("name"), .text("a"))])]))]) == #"(found: [(name: "a", id: 1)])"#)
        #expect(text([("zz", .unsigned(1)), ("alpha", .unsigned(2))]) == "(alpha: 2, zz: 1)")
        #expect(order.value(ofAnswer: [0xff]) == nil)
    }
}
