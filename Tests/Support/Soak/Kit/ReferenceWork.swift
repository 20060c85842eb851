/// Work that is the same each time and is of the kind that steps are made of: hash tables, allocations, retains.
enum ReferenceWork {
    private static let rounds = 8
    private static let entries = 256

    /// Nanoseconds of this thread's processor time for one round, the median of a few.
    static func cost() -> Double {
        var costs: [Int] = []
        for _ in 0..<rounds {
            let start = ProcessorClock.thread.now()
            work()
            costs.append(ProcessorClock.thread.now() - start)
        }
        return Double(costs.sorted()[rounds / 2])
    }

    private static func work() {
        var table: [Int: [Int]] = [:]
        for number in 0..<entries { table[number, default: []].append(number) }
        for number in 0..<entries { table[number]?.append(entries) }
        for number in 0..<entries { table[number] = nil }
        precondition(table.isEmpty)
    }
}
