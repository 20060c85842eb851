/// Whether steps become dearer by use: pure.
///
/// Windows at the end are compared with the first one. The first of them that is as cheap as that ends the matter. Where none is, use makes the later
/// ones dearer than the earlier ones; a machine on which everything takes longer by now does not.
package struct StepGrowth {
    /// Windows at the end, at most.
    package static let windows = 9

    private let first: StepCost
    private let share: Double
    private var last: [StepCost] = []

    /// - Parameter share: of the first window's cost, that a later one may be dearer.
    package init(first: StepCost, share: Double) { (self.first, self.share) = (first, share) }

    package mutating func add(_ cost: StepCost) { last.append(cost) }

    /// Another window may still show that nothing has grown.
    package var wantsMore: Bool { last.count < Self.windows && areAllDearer }

    package var isFound: Bool {
        let half = last.count / 2
        guard areAllDearer, let earlier = last.prefix(half).min(), let later = last.suffix(half).min() else { return false }
        return later.multiple > earlier.multiple * (1 + share / 4)
    }

    private var areAllDearer: Bool { last.allSatisfy { $0.multiple > first.multiple * (1 + share) } }

    package var text: String { "\(last.map(\.description).joined(separator: ", ")) at the end, \(first) at first" }
}
