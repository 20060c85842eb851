/// A limit that a process inherits from whoever has started it, and that ends it in the midst of work where it is too low.
package enum InheritedLimit: String, CaseIterable, Sendable {
    case fileSize = "file-size"
    case addressSpace = "address-space"
    case data
    case stack
    case processorTime = "processor-time"

    /// The least that a process works with, in bytes or seconds, by measure.
    package func need(of role: StartConditions.Role) -> Int {
        switch (self, role) {
        // A segment with the longest batch behind its limit.
        case (.fileSize, .daemon): 160 << 20
        // Threads reserve what they never touch.
        case (.addressSpace, .daemon): 2 << 30
        case (.addressSpace, .command): 384 << 20
        // The stacks of a process's threads alone are half of it.
        case (.data, .daemon): 128 << 20
        case (.data, .command): 32 << 20
        case (.stack, .daemon): 1 << 20
        case (.stack, .command): 256 << 10
        // It runs for as long as the cluster does.
        case (.processorTime, .daemon): .max
        case (.fileSize, .command), (.processorTime, .command): 0
        }
    }

    /// Why this value is too little for a process of this role; nil when it is enough.
    func finding(_ value: Int, _ role: StartConditions.Role) -> StartFinding? {
        let need = need(of: role)
        guard value < need else { return nil }
        // With too little processor time the process still works for a while.
        return StartFinding(name: rawValue, isFatal: self != .processorTime, text: text(value, need), remedy: remedy)
    }

    private func text(_ value: Int, _ need: Int) -> String {
        switch self {
        case .fileSize: "a file of this process may have \(value >> 10) KiB, and a journal needs \(need >> 10)"
        case .addressSpace: "this process may map \(value >> 20) MiB, and its threads alone need \(need >> 20)"
        case .data: "this process may have \(value >> 20) MiB of memory by RLIMIT_DATA (ulimit -d, LimitDATA=), and it needs \(need >> 20) to start"
        case .stack: "a stack of this process may have \(value >> 10) KiB, and a thread needs \(need >> 10)"
        case .processorTime: "this process is killed when it has used \(value) s of the processor"
        }
    }

    /// The shell's and the unit's way to raise it.
    package var remedy: String {
        let (flag, unit) =
            switch self {
            case .fileSize: ("f", "LimitFSIZE")
            case .addressSpace: ("v", "LimitAS")
            case .data: ("d", "LimitDATA")
            case .stack: ("s", "LimitSTACK")
            case .processorTime: ("t", "LimitCPU")
            }
        return "raise the limit where it is started, by `ulimit -\(flag) unlimited` or \(unit)=infinity of its unit"
    }
}
