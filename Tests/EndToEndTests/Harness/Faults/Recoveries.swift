/// How long a module was away after its host was killed: until a handler of it starts in another process, by what handlers have written.
struct Recoveries {
    /// Milliseconds, of those who were running a handler.
    private(set) var all: [Double] = []
    /// Those while nothing else was done: no fault in between, and none shortly before that may still have lasted.
    private(set) var undisturbed: [Double] = []

    /// As long a freeze, or a full disk, may last.
    private static let longest = 320_000_000

    /// - Parameters:
    ///   - faults: in the order of their times.
    ///   - lines: likewise.
    init(_ faults: [Faults.Fault], _ lines: [Diary.Line]) {
        var later = lines.startIndex
        for (index, fault) in faults.enumerated() where fault.kind == .kill && fault.isInsideAwait && Faults.isHost(fault.target) {
            while later < lines.endIndex, lines[later].nanoseconds <= fault.nanoseconds { later += 1 }
            guard let next = lines[later...].first(where: { $0.pid != fault.pid && Self.isStart($0, in: fault.target) }) else { continue }
            let milliseconds = Double(next.nanoseconds - fault.nanoseconds) / 1e6
            all.append(milliseconds)
            let isAlone = index == 0 || faults[index - 1].nanoseconds + Self.longest < fault.nanoseconds
            if isAlone, index + 1 == faults.endIndex || faults[index + 1].nanoseconds > next.nanoseconds { undisturbed.append(milliseconds) }
        }
    }

    private static func isStart(_ line: Diary.Line, in target: String) -> Bool {
        target.hasPrefix("Counter") ? line.what == "start" : line.what == "begin" && target == "\(line.key.publisher)Orchestration"
    }
}
