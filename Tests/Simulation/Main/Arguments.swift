import Glibc
import SimulationKit

struct UsageError: Error, CustomStringConvertible {
    var description: String
}

/// The program's arguments, as Tests/Simulation/run documents them.
struct Arguments: Sendable {
    enum Mode: Sendable {
        case check
        case replay(UInt64)
        case digest(ClosedRange<UInt64>)
    }
    var mode = Mode.check
    /// The first of the fixed seeds.
    var from: UInt64 = 1
    var fixed: UInt64 = 2000
    /// For random seeds, and for fixed ones at most.
    var seconds = 60
    var limit: Int?
    var jobs = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var sabotage: Sabotage?
    var isTraced = false

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        func number(_ option: String) throws -> UInt64 {
            guard let text = rest.popFirst(), let value = UInt64(text), value > 0 else {
                throw UsageError(description: "\(option) needs a number above 0")
            }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--from": from = try number(option)
            case "--fixed": fixed = try number(option)
            case "--seconds": seconds = Int(clamping: try number(option))
            case "--limit": limit = Int(clamping: try number(option))
            case "--no-random": seconds = 0
            case "--jobs": jobs = Int(clamping: try number(option))
            case "--seed": mode = .replay(try number(option))
            case "--digest": mode = .digest(1...(try number(option)))
            case "--trace": isTraced = true
            case "--sabotage":
                let name = rest.popFirst() ?? ""
                guard let known = Sabotage(rawValue: name) else {
                    let names = Sabotage.allCases.map(\.rawValue).joined(separator: ", ")
                    throw UsageError(description: "--sabotage \(name) is unknown; there are \(names)")
                }
                sabotage = known
            default: throw UsageError(description: "\(option) is unknown; Tests/Simulation/run --help names what there is")
            }
        }
    }
}

/// To standard error.
func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

func end(_ status: Int32) -> Never {
    fflush(nil)
    exit(status)
}
