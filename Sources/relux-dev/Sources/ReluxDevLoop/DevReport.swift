import Foundation

/// A report of the loop.
package enum DevReport: Sendable, Hashable {
    case begun(round: Int)
    case step(StepReport)
    case ended(round: Int, DevMachine.RoundEnd)
    case waiting
}

/// A step that has ended.
package struct StepReport: Sendable, Hashable {
    package let round: Int
    package let step: DevStep
    /// Nil for one that was ended because a change came.
    package let end: StepEnd?
    package let duration: Duration
    /// The work that was done, in one line; may be empty.
    package let note: String
    /// The faults, when the step has failed.
    package let errors: [String]
    /// Where all of it stands.
    package let log: String

    package init(round: Int, step: DevStep, end: StepEnd?, duration: Duration, note: String, errors: [String], log: String) {
        self.round = round
        self.step = step
        self.end = end
        self.duration = duration
        self.note = note
        self.errors = errors
        self.log = log
    }

    package var isFailure: Bool { if case .failed = end { true } else { false } }
}

/// Reports for people and for programs.
package enum DevText {
    /// Lines for a person, of one report. What the cluster was asked is silent unless it went wrong, and so are coders that need no change.
    package static func lines(_ report: DevReport, module: String) -> [String] {
        switch report {
        case .begun(let round): return ["\(module), round \(round)"]
        case .step(let step):
            if step.step == .look, !step.isFailure { return [] }
            if step.step == .generate, step.end == .passed, step.note.isEmpty { return [] }
            let outcome = step.end == nil ? "ended, for there is a change" : step.isFailure ? "failed" : "ok"
            let time = String(repeating: " ", count: max(0, 7 - seconds(step.duration).count)) + seconds(step.duration)
            let name = step.step.rawValue + String(repeating: " ", count: max(0, 8 - step.step.rawValue.count))
            let head = "  \(name)\(time)  \(outcome)" + (step.note.isEmpty || step.isFailure ? "" : "  \(step.note)")
            return [head] + (step.isFailure ? step.errors.map { "      \($0)" } + ["      all of it: \(step.log)"] : [])
        case .ended(_, .passed): return ["\(module) is up to date in the cluster"]
        case .ended(_, .failed(let step)):
            return ["\(step.rawValue) failed; the version of \(module) that was served before, if any, goes on"]
        case .ended(_, .stale): return []
        case .waiting: return ["waiting for a change; Ctrl-C ends this"]
        }
    }

    /// One object in one line, `relux.dev/1`; nil for what a program does not need.
    package static func json(_ report: DevReport, module: String) -> String? {
        var line = JSONLine(module: module)
        switch report {
        case .begun, .waiting: return nil
        case .step(let step):
            line.event = "step"
            line.round = step.round
            line.step = step.step.rawValue
            line.outcome = step.end == nil ? "stale" : step.isFailure ? "failed" : "passed"
            line.milliseconds = Int(step.duration / .milliseconds(1))
            if case .failed(let status) = step.end { line.status = status }
            line.note = step.note.isEmpty ? nil : step.note
            line.errors = step.isFailure ? step.errors : nil
            line.log = step.log
        case .ended(let round, let end):
            line.event = "round"
            line.round = round
            switch end {
            case .passed: line.outcome = "passed"
            case .stale: line.outcome = "stale"
            case .failed(let step):
                line.outcome = "failed"
                line.step = step.rawValue
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// With one decimal.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)s"
    }

    private struct JSONLine: Encodable {
        let schema = "relux.dev/1"
        let module: String
        var event = ""
        var round = 0
        var step: String?
        var outcome = ""
        var milliseconds: Int?
        var status: Int32?
        var note: String?
        var errors: [String]?
        var log: String?

        init(module: String) { self.module = module }

        private enum CodingKeys: CodingKey { case schema, module, event, round, step, outcome, milliseconds, status, note, errors, log }
    }
}
