/// How much a value holds: the elements of all its collections, by the path of properties that leads there.
///
/// A value that is the same as an hour ago has the same census; a table that nobody clears has a path whose number rises. Objects are entered once.
package struct Census: Sendable, Equatable {
    package private(set) var counts: [String: Int] = [:]
    private var entered: Set<ObjectIdentifier> = []

    /// - Parameter values: by name.
    package init(_ values: [String: Any]) { for (name, value) in values { enter(value, name) } }

    private mutating func enter(_ value: Any, _ path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            counts[path, default: 0] += mirror.children.count
            // The count says all about bytes and numbers.
            if value is [UInt8] || value is ArraySlice<UInt8> { return }
            for child in mirror.children { enter(child.value, path + "[]") }
        case .class:
            guard entered.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            enterChildren(of: mirror, path)
        case .struct, .tuple, .enum: enterChildren(of: mirror, path)
        case .optional: for child in mirror.children { enter(child.value, path) }
        default: break
        }
    }

    private mutating func enterChildren(of mirror: Mirror, _ path: String) {
        for child in mirror.children { enter(child.value, path.isEmpty ? child.label ?? "" : "\(path).\(child.label ?? "")") }
    }

    /// The paths that hold more than they did, a line each: by more than the share of it that is allowed, and by more than comes and goes.
    package func growth(since earlier: Census, share: Double, slack: Int) -> [String] {
        counts.sorted { $0.key < $1.key }.compactMap { path, count in
            let before = earlier.counts[path] ?? 0
            guard count > before + max(slack, Int(Double(before) * share)) else { return nil }
            return "\(path) holds \(count) instead of \(before)"
        }
    }
}
