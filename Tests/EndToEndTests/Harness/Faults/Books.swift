import ReluxTestKit

/// Judges a story by what writers saw accepted and by what handlers wrote into their own databases, never by a journal.
struct Books: CustomStringConvertible {
    let lines: [Diary.Line]
    /// How many an ingress writer or a series has of a run.
    private(set) var accepted: Set<Diary.Key> = []
    private(set) var lost: [Diary.Key] = []
    private(set) var repeated: [Diary.Key] = []
    private(set) var misordered: [String] = []
    private(set) var failed: [Diary.Key] = []
    /// Handlers that ran again, with the same id, because they had not been settled when their process died.
    private(set) var reruns = 0
    /// Ended twice and more, likewise.
    private(set) var endedAgain = 0
    private var answered: [Diary.Key: Int] = [:]

    /// - Parameters:
    ///   - writers: of effects that Counter handles.
    ///   - drivers: of series; their names are the publishers'.
    init(_ diary: Diary, writers: [Writer] = [], drivers: [Writer] = []) throws {
        self.init(try diary.lines(), writers: writers, drivers: drivers)
    }

    /// - Parameter lines: in the order of their times.
    init(_ lines: [Diary.Line], writers: [Writer] = [], drivers: [Writer] = []) {
        self.lines = lines
        for line in lines {
            switch line.what {
            case "answered":
                answered[line.key] = min(answered[line.key] ?? .max, line.nanoseconds)
            case "failed": failed.append(line.key)
            case "begin":
                // An accepted run is all its numbers.
                for number in 1...line.key.number {
                    accepted.insert(.init(publisher: line.key.publisher, run: line.key.run, number: number))
                }
            default: break
            }
        }
        for writer in writers {
            for (number, answer) in writer.seen.value.answers {
                let key = Diary.Key(publisher: writer.name, run: 0, number: number)
                accepted.insert(key)
                answered[key] = answer.nanoseconds
            }
        }
        judgeHandlers()
        judgeOrder(writers)
        for driver in drivers { judgeRuns(of: driver) }
    }

    var totals: Counting.Totals {
        Counting.Totals(count: accepted.count, sum: accepted.reduce(0) { $0 + $1.number })
    }
    var isBalanced: Bool { lost.isEmpty && repeated.isEmpty && misordered.isEmpty && failed.isEmpty }

    private mutating func judgeHandlers() {
        var starts: [Diary.Key: Int] = [:]
        var ends: [Diary.Key: Int] = [:]
        var ids: [Diary.Key: String] = [:]
        for line in lines {
            if line.what == "start" {
                starts[line.key, default: 0] += 1
                // Said twice: another effect with the same contents is no re-run.
                if let id = ids.updateValue(line.effect, forKey: line.key), id != line.effect { repeated.append(line.key) }
                if let settled = answered[line.key], line.nanoseconds > settled { repeated.append(line.key) }
                // An effect that no writer knows was made up.
                if !accepted.contains(line.key) { misordered.append("\(line.key) was handled and never accepted") }
            } else if line.what == "end" {
                ends[line.key, default: 0] += 1
            }
        }
        lost = accepted.filter { ends[$0] == nil || answered[$0] == nil }.sorted()
        reruns = starts.values.reduce(0) { $0 + $1 - 1 }
        endedAgain = ends.values.reduce(0) { $0 + $1 - 1 }
    }

    /// By first starts: a writer's in the order of their places in the stream, those of a run in the order of their numbers.
    private mutating func judgeOrder(_ writers: [Writer]) {
        var seen: Set<Diary.Key> = []
        var last: [Diary.Key: (Diary.Key, UInt64)] = [:]
        let positions = Dictionary(uniqueKeysWithValues: writers.map { ($0.name, $0.seen.value.answers.mapValues(\.position)) })
        for line in lines where line.what == "start" && seen.insert(line.key).inserted {
            var (stream, place) = (Diary.Key(publisher: line.key.publisher, run: line.key.run, number: 0), UInt64(line.key.number))
            if let of = positions[line.key.publisher] {
                // All writers share the ingress's stream.
                stream = Diary.Key(publisher: "the ingress", run: 0, number: 0)
                guard let position = of[line.key.number] else { continue }
                place = position
            }
            if let (before, earlier) = last[stream], earlier >= place { misordered.append("\(line.key) after \(before)") }
            last[stream] = (line.key, place)
        }
    }

    /// A run that was answered has been done, and does not begin again.
    private mutating func judgeRuns(of driver: Writer) {
        var done: Set<Int> = []
        for line in lines where line.key.publisher == driver.name {
            if line.what == "done" { done.insert(line.key.run) }
            if line.what == "begin", let answer = driver.seen.value.answers[line.key.run], line.nanoseconds > answer.nanoseconds {
                repeated.append(line.key)
            }
        }
        for run in driver.seen.value.answers.keys where !done.contains(run) {
            lost.append(Diary.Key(publisher: driver.name, run: run, number: 0))
        }
    }

    var description: String {
        """
        accepted \(accepted.count)  lost \(lost.count)  repeated \(repeated.count)  misordered \(misordered.count)  \
        failed \(failed.count)  re-runs before settlement \(reruns), of them ended before \(endedAgain)
        """ + [("lost", lost), ("repeated", repeated), ("failed", failed)].map { name, keys in
            keys.isEmpty ? "" : "\n    \(name): \(keys.prefix(10).map(\.description).joined(separator: " "))"
        }.joined() + misordered.prefix(10).map { "\n    \($0)" }.joined()
    }
}
