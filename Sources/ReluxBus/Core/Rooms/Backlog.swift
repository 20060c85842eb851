import Relux

/// How much each recipient has not settled of what modules here have said. Pure.
struct Backlog: Sendable {
    /// Over that many bytes at one recipient sources wait.
    let byteLimit: Int
    private(set) var bytes: [ModuleID: Int] = [:]
    private(set) var overloaded: Set<ModuleID> = []

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    mutating func add(_ byteCount: Int, for recipient: ModuleID) {
        let total = Self.add(byteCount, to: &bytes[recipient, default: 0])
        if total <= 0 { bytes[recipient] = nil }
        if total > byteLimit {
            overloaded.insert(recipient)
        } else if !overloaded.isEmpty, total <= byteLimit / 8 * 7 {
            // A little room first, so that the waiting ones are not woken for each settlement.
            overloaded.remove(recipient)
        }
    }

    /// One look-up for both.
    private static func add(_ count: Int, to total: inout Int) -> Int {
        total += count
        return total
    }
}
