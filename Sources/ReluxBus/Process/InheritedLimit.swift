/// A limit that a process inherits from whoever has started it, and that ends it in the midst of work where it is too low.
package enum InheritedLimit: String, CaseIterable, Sendable {
    case fileSize = "file-size"
    case addressSpace = "address-space"
    case stack
    case processorTime = "processor-time"

    /// The least that a process of the cluster works with, in bytes or seconds.
    var need: Int {
        switch self {
        // A segment with the longest batch behind its limit.
        case .fileSize: 160 << 20
        // Measured: threads reserve what they never touch.
        case .addressSpace: 2 << 30
        case .stack: 1 << 20
        // It runs for as long as the cluster does.
        case .processorTime: .max
        }
    }

    /// With too little processor time the process still works for a while.
    var isFatal: Bool { self != .processorTime }

    /// Why this value is too little.
    func text(_ value: Int) -> String {
        switch self {
        case .fileSize: "a file of this process may have \(value >> 10) KiB, and a journal needs \(need >> 10)"
        case .addressSpace: "this process may map \(value >> 20) MiB, and its threads alone need \(need >> 20)"
        case .stack: "a stack of this process may have \(value >> 10) KiB, and a thread needs \(need >> 10)"
        case .processorTime: "this process is killed when it has used \(value) s of the processor"
        }
    }

    /// The shell's and the unit's way to raise it.
    var remedy: String {
        let (flag, unit) =
            switch self {
            case .fileSize: ("f", "LimitFSIZE")
            case .addressSpace: ("v", "LimitAS")
            case .stack: ("s", "LimitSTACK")
            case .processorTime: ("t", "LimitCPU")
            }
        return "raise the limit where it is started, by `ulimit -\(flag) unlimited` or \(unit)=infinity of its unit"
    }
}
