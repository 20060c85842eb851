import Glibc

/// Which process of a host it is: the broker's order that it was started for, and the count of the processes that the supervisor has started for that order.
///
/// Orders are numbered through all hosts, and the registry's file keeps the latest, so no number comes twice where pids do: a greater number is a
/// later process, and whoever hears of two knows which one is over, in whatever order the news comes. A broker that starts with an older copy of
/// the file goes on behind the latest number that it hears of.
package struct StartNumber: Codable, Sendable, Hashable {
    package var order: UInt64
    /// 1 for the first; the supervisor raises it when it starts the host again by itself.
    package var attempt: UInt64

    package init(order: UInt64, attempt: UInt64) { (self.order, self.attempt) = (order, attempt) }

    /// The least number of a process that is started after this one.
    package var next: StartNumber { StartNumber(order: order, attempt: attempt &+ 1) }

    /// Orders beyond it were never given.
    package static let orderLimit: UInt64 = 1 << 62
}

extension StartNumber: Comparable {
    package static func < (one: StartNumber, other: StartNumber) -> Bool { (one.order, one.attempt) < (other.order, other.attempt) }
}

/// As the environment of a host's process has it: `Notes 12.1`. The host's name is in it because what the process starts inherits the variable.
extension StartNumber {
    package static let variable = "RELUX_START"

    package func text(for host: HostID) -> String { "\(host) \(self)" }

    /// The number of this process, if our supervisor started it as that host; else nil.
    package static func ofThisProcess(as host: HostID) -> StartNumber? {
        getenv(variable).flatMap { StartNumber(String(cString: $0), of: host) }
    }

    package init?(_ text: String, of host: HostID) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == host.rawValue else { return nil }
        let numbers = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, let order = UInt64(numbers[0]), let attempt = UInt64(numbers[1]) else { return nil }
        self.init(order: order, attempt: attempt)
    }
}

extension StartNumber: CustomStringConvertible {
    package var description: String { "\(order).\(attempt)" }
}

/// A process that the supervisor runs, or has run.
package struct HostProcess: Codable, Sendable, Hashable {
    package var start: StartNumber
    /// 0 if it never ran.
    package var pid: Int32

    package init(start: StartNumber, pid: Int32) { (self.start, self.pid) = (start, pid) }
}
