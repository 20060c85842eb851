/// How long a module was away after its host was killed: until a handler of it starts in another process, by what handlers have written.
struct Recoveries {
    /// Milliseconds, of those who were running a handler.
    private(set) var all: [Double] = []
    /// Of these, while nothing else was done: no fault in between, and none shortly before that may still have lasted.
    private(set) var undisturbed: [Double] = []

    /// As long a freeze, or a full disk, may last.
    private static let longest = 320_000_000

    init(_ faults: [Faults.Fault], _ lines: [Diary.Line]) {
        for (index, fault) in faults.enumerated() where fault.kind == .kill && fault.isInsideAwait && Faults.isHost(fault.target) {
            let next = lines.first { line in
                line.nanoseconds > fault.nanoseconds && line.pid != fault.pid && Self.isStart(line, in: fault.target)
            }
            guard let next else { continue }
            let milliseconds = Double(next.nanoseconds - fault.nanoseconds) / 1e6
            all.append(milliseconds)
            let isAlone = faults.indices.allSatisfy { other in
                other == index || faults[other].nanoseconds + Self.longest < fault.nanoseconds || faults[other].nanoseconds > next.nanoseconds
            }
            if isAlone { undisturbed.append(milliseconds) }
        }
    }

    private static func isStart(_ line: Diary.Line, in target: String) -> Bool {
        target.hasPrefix("Counter") ? line.what == "start" : line.what == "begin" && target == "\(line.key.publisher)Orchestration"
    }
}
