extension Relux {
    /// The handlers of a party that run, by number.
    ///
    /// Numbers rise, so that a new one comes last; mostly there is one. No hash is made of what is looked up twice for each effect.
    struct RunTable: Sendable {
        private struct Numbered: Sendable {
            var number: UInt64
            var run: Party.Run
        }
        private var runs: [Numbered] = []

        var isEmpty: Bool { runs.isEmpty }
        var count: Int { runs.count }
        /// In the order in which they began.
        var numbers: [UInt64] { runs.map(\.number) }
        var all: [Party.Run] { runs.map(\.run) }

        func contains(_ number: UInt64) -> Bool { index(of: number) != nil }
        func contains(where matches: (Party.Run) -> Bool) -> Bool { runs.contains { matches($0.run) } }
        func allSatisfy(_ matches: (UInt64, Party.Run) -> Bool) -> Bool { runs.allSatisfy { matches($0.number, $0.run) } }
        func number(where matches: (Party.Run) -> Bool) -> UInt64? { runs.first { matches($0.run) }?.number }

        subscript(number: UInt64) -> Party.Run? { index(of: number).map { runs[$0].run } }

        /// - Parameter number: higher than all before it.
        mutating func begin(_ number: UInt64, _ run: Party.Run) { runs.append(Numbered(number: number, run: run)) }

        mutating func end(_ number: UInt64) -> Party.Run? { index(of: number).map { runs.remove(at: $0).run } }

        /// Changes the run where it lies; nil when it has ended.
        mutating func update<Result>(_ number: UInt64, _ body: (inout Party.Run) -> Result) -> Result? {
            guard let index = index(of: number) else { return nil }
            return body(&runs[index].run)
        }

        private func index(of number: UInt64) -> Int? {
            var (low, high) = (0, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < runs.count && runs[low].number == number ? low : nil
        }
    }
}
