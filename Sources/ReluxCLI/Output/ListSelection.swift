import ReluxOutput
import ReluxWire

/// Which rows of a list are shown, and in which order: by what `-o json` says of each. Pure.
struct ListSelection: Sendable {
    /// `state=ready`, `restarts>3`, `why~memory`.
    struct Filter: Sendable, Equatable {
        /// The longer ones first, for a shorter one begins some.
        enum Comparison: String, Sendable, CaseIterable {
            case unequal = "!=", atMost = "<=", atLeast = ">=", equal = "=", less = "<", greater = ">", contains = "~"
        }

        let key: String
        let comparison: Comparison
        let value: String

        /// Nil for a text without a comparison, or without a key before it.
        init?(_ text: String) {
            // The first place in the text where one stands: a value may have others.
            let places = text.indices.lazy.compactMap { index in
                Comparison.allCases.first { text[index...].hasPrefix($0.rawValue) }.map { (index, $0) }
            }
            guard let (index, comparison) = places.first, index > text.startIndex else { return nil }
            key = String(text[..<index])
            self.comparison = comparison
            value = String(text[text.index(index, offsetBy: comparison.rawValue.count)...])
        }
    }

    /// `restarts`, `counters.lost:desc`.
    struct Order: Sendable, Equatable {
        let key: String
        let isDescending: Bool

        init(_ text: String) {
            isDescending = text.hasSuffix(":desc")
            key = isDescending ? String(text.dropLast(5)) : text.hasSuffix(":asc") ? String(text.dropLast(4)) : text
        }
    }

    /// A key that no row has.
    struct UnknownKey: Error, Equatable {
        let key: String
        let known: [String]
        var hint: String {
            let keys = "keys are \(known.joined(separator: ", "))"
            return NearestName.of(key, among: known).map { "did you mean '\($0)'? \(keys)" } ?? keys
        }
    }

    var filters: [Filter] = []
    var order: Order?

    /// The items that all filters take, sorted; those of one value stay in their order.
    /// - Parameter describe: what JSON says of an item: an object.
    func select<Item>(_ items: [Item], _ describe: (Item) -> JSONValue) throws(UnknownKey) -> [Item] {
        guard !filters.isEmpty || order != nil else { return items }
        let rows = items.map { (item: $0, json: describe($0)) }
        for key in filters.map(\.key) + (order.map { [$0.key] } ?? []) where !rows.isEmpty && !rows.contains(where: { Self.values(key, $0.json) != nil }) {
            var known: [String] = []
            for row in rows { for name in Self.keys(row.json) where !known.contains(name) { known.append(name) } }
            throw UnknownKey(key: key, known: known)
        }
        let taken = rows.filter { row in filters.allSatisfy { Self.takes($0, row.json) } }
        guard let order else { return taken.map(\.item) }
        let keyed = taken.enumerated().map { (place: $0.offset, value: Self.values(order.key, $0.element.json)?.first ?? .null, item: $0.element.item) }
        return keyed.sorted { left, right in
            if let isBefore = Self.isBefore(left.value, right.value, order.isDescending) { return isBefore }
            return left.place < right.place
        }.map(\.item)
    }

    // MARK: Keys

    /// The values that a dotted key leads to, the elements of a list one by one; nil when it leads nowhere.
    private static func values(_ key: String, _ json: JSONValue) -> [JSONValue]? {
        var found = json
        for name in key.split(separator: ".", omittingEmptySubsequences: false) {
            guard let next = found[String(name)] else { return nil }
            found = next
        }
        if case .array(let elements) = found { return elements }
        if case .object = found { return nil }
        return [found]
    }

    /// The keys that have something to compare.
    private static func keys(_ json: JSONValue, below prefix: String = "") -> [String] {
        guard case .object(let members) = json else { return [] }
        return members.flatMap { member -> [String] in
            switch member.value {
            case .object: keys(member.value, below: "\(prefix)\(member.key).")
            case .array(let elements) where elements.contains { if case .object = $0 { true } else { false } }: []
            default: ["\(prefix)\(member.key)"]
            }
        }
    }

    // MARK: Comparing

    private static func takes(_ filter: Filter, _ json: JSONValue) -> Bool {
        let found = values(filter.key, json) ?? []
        func any(_ test: (JSONValue) -> Bool) -> Bool { found.contains(where: test) }
        switch filter.comparison {
        case .equal: return any { text($0) == filter.value }
        case .unequal: return !any { text($0) == filter.value }
        case .contains: return any { text($0).lowercased().contains(filter.value.lowercased()) }
        case .less: return any { $0 != .null && isBefore($0, value(filter.value, like: $0), false) == true }
        case .greater: return any { $0 != .null && isBefore(value(filter.value, like: $0), $0, false) == true }
        case .atMost: return any { $0 != .null && isBefore(value(filter.value, like: $0), $0, false) != true }
        case .atLeast: return any { $0 != .null && isBefore($0, value(filter.value, like: $0), false) != true }
        }
    }

    /// A number where the row has one.
    private static func value(_ text: String, like row: JSONValue) -> JSONValue {
        number(row) == nil ? .string(text) : Double(text).map(JSONValue.number) ?? .null
    }

    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text }
        return value == .null ? "" : value.text()
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Numbers before texts, nothing at the end in either direction; nil for equals.
    private static func isBefore(_ left: JSONValue, _ right: JSONValue, _ isDescending: Bool) -> Bool? {
        if left == .null || right == .null { return left == right ? nil : right == .null }
        if let left = number(left), let right = number(right) { return left == right ? nil : (left < right) != isDescending }
        if (number(left) == nil) != (number(right) == nil) { return (number(left) != nil) != isDescending }
        let (left, right) = (text(left), text(right))
        return left == right ? nil : (left < right) != isDescending
    }
}
