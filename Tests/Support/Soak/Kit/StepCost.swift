/// The cost of a step: the time itself for the reader, and the multiple of the reference work, which is compared.
package struct StepCost: Sendable, Comparable, CustomStringConvertible {
    package var nanoseconds: Double
    package var multiple: Double

    package init(nanoseconds: Double, multiple: Double) { (self.nanoseconds, self.multiple) = (nanoseconds, multiple) }

    package static func < (left: Self, right: Self) -> Bool { left.multiple < right.multiple }

    package var description: String { "\(Int(nanoseconds)) ns (\(Int(multiple * 1000)) thousandths of the reference work)" }
}

/// Measures blocks of steps, each between two rounds of the reference work.
struct BlockCosts {
    private let clock: ProcessorClock?
    private var blocks: [StepCost] = []
    /// Nanoseconds of the round before this block.
    private var before: Double

    init(_ clock: ProcessorClock?) {
        self.clock = clock
        before = clock == nil ? 1 : ReferenceWork.cost()
    }

    func begin() -> Int { clock?.now() ?? 0 }

    /// - Parameter start: what ``begin()`` has returned.
    mutating func end(_ start: Int, steps: Int) {
        guard let clock else { return }
        let nanoseconds = Double(clock.now() - start) / Double(steps)
        let after = ReferenceWork.cost()
        blocks.append(StepCost(nanoseconds: nanoseconds, multiple: nanoseconds * 2 / (before + after)))
        before = after
    }

    /// Zero where there is no clock.
    var median: StepCost { blocks.isEmpty ? StepCost(nanoseconds: 0, multiple: 0) : blocks.sorted()[blocks.count / 2] }
}
