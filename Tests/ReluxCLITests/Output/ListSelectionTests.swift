@testable import ReluxCLI
import ReluxWire
import Testing

@Suite struct ListSelectionTests {
    private static let rows: [JSONValue] = [
        row("Auth", "ready", restarts: 2, lost: 0, handles: ["Auth.Business.Effect"]), row("Cart", "failed", restarts: 10, lost: 3, handles: []),
        row("Notes", "ready", restarts: 0, lost: 3, handles: ["Notes.Business.Effect", "Auth.Business.Effect"]),
        row("Sync", "ready", restarts: nil, lost: 1, handles: []),
    ]

    private static func row(_ id: String, _ state: String, restarts: Int?, lost: Int, handles: [String]) -> JSONValue {
        .object([
            .init("id", .string(id)), .init("state", .string(state)), .init("restarts", restarts.map { .integer(Int128($0)) } ?? .null),
            .init("handles", .array(handles.map { .string($0) })), .init("counters", .object([.init("lost", .integer(Int128(lost)))])),
        ])
    }

    private func select(_ filters: [String], sort: String? = nil) throws -> [String] {
        let selection = ListSelection(filters: try filters.map { try #require(ListSelection.Filter($0)) }, order: sort.map(ListSelection.Order.init))
        return try selection.select(Self.rows) { $0 }.compactMap { $0["id"]?.string }
    }

    @Test func `rows are taken that all filters hold for`() throws {
        #expect(try select([]) == ["Auth", "Cart", "Notes", "Sync"])
        #expect(try select(["state=ready", "counters.lost>0"]) == ["Notes", "Sync"])
        #expect(try select(["state!=ready"]) == ["Cart"] && select(["id~AU"]) == ["Auth"])
        // Numbers are numbers, and what is not there is not less.
        #expect(try select(["restarts<3"]) == ["Auth", "Notes"] && select(["restarts>=2"]) == ["Auth", "Cart"] && select(["restarts<=0"]) == ["Notes"])
        #expect(try select(["restarts>many"]) == [] && select(["restarts="]) == ["Sync"])
        // Any element of a list.
        #expect(try select(["handles=Auth.Business.Effect"]) == ["Auth", "Notes"] && select(["handles!=Auth.Business.Effect"]) == ["Cart", "Sync"])
        #expect(try select(["id>Cart"]) == ["Notes", "Sync"])
    }

    @Test func `rows are sorted by numbers or by text, nothing last, equals as they were`() throws {
        #expect(try select([], sort: "restarts") == ["Notes", "Auth", "Cart", "Sync"])
        #expect(try select([], sort: "restarts:desc") == ["Cart", "Auth", "Notes", "Sync"])
        #expect(try select([], sort: "counters.lost:desc") == ["Cart", "Notes", "Sync", "Auth"])
        #expect(try select(["state=ready"], sort: "id:desc") == ["Sync", "Notes", "Auth"] && select([], sort: "state:asc") == ["Cart", "Auth", "Notes", "Sync"])
    }

    @Test func `a key that no row has is refused with the nearest`() throws {
        let fault = #expect(throws: ListSelection.UnknownKey.self) { try select([], sort: "restart") }
        #expect(fault?.hint == "did you mean 'restarts'? keys are id, state, restarts, handles, counters.lost")
        #expect(throws: ListSelection.UnknownKey.self) { try select(["counters=1"]) }
        #expect(throws: ListSelection.UnknownKey.self) { try select(["counters..lost=1"]) }
        // Nothing is known of an empty list.
        #expect(try ListSelection(order: .init("any")).select([JSONValue]()) { $0 } == [])
    }

    @Test func `a filter is read at its first comparison`() {
        let filter = ListSelection.Filter("why=a>b!=c")
        #expect(filter?.key == "why" && filter?.comparison == .equal && filter?.value == "a>b!=c")
        #expect(ListSelection.Filter("a<=b")?.comparison == .atMost && ListSelection.Filter("a!=b")?.comparison == .unequal)
        for text in ["", "state", "=ready", "!=x"] { #expect(ListSelection.Filter(text) == nil, "\(text)") }
    }
}
