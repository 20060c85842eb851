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
}
