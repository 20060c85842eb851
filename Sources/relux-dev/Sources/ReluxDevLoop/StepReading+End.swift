import Foundation

extension StepReading {
    /// The meaning of a program's exit status for its step.
    ///
    /// The package manager, generate and lint end the whole with 1, whatever they end with; `relux` with its own status.
    static func end(of step: DevStep, status: Int32, _ log: String) -> StepEnd {
        switch step {
        case .generate, .build, .lint, .test: status == 0 ? .passed : .failed(status: 1)
        case .pack, .load, .upgrade: status == 0 ? .passed : .failed(status: known(status))
        case .look: look(status, log)
        }
    }

    /// The refusal that `relux` prints for programs, in its words for people.
    static func refusal(_ log: String) -> [String]? {
        struct Answer: Decodable {
            let message: String
            let hint: String
        }
        let lines = log.split(whereSeparator: \.isNewline).lazy
        return lines.compactMap { try? JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }.first.map { answer in
            ["relux: \(answer.message)"] + (answer.hint.isEmpty ? [] : ["       \(answer.hint)"])
        }
    }

    /// A module that was refused or has stopped is not taken over, but loaded anew.
    private static func look(_ status: Int32, _ log: String) -> StepEnd {
        struct Answer: Decodable {
            let state: String?
            let code: String?
        }
        let answer = log.split(whereSeparator: \.isNewline).lazy
            .compactMap { try? JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }.first
        if status == 0, let state = answer?.state { return .looked(isServed: state != "refused" && state != "stopped") }
        // Nobody has heard of it, or it was there and was unloaded.
        if ["module.unknown", "module.unloaded"].contains(answer?.code) { return .looked(isServed: false) }
        return .failed(status: status == 0 ? 1 : known(status))
    }

    /// An exit status of `relux` itself; a signal's is none.
    private static func known(_ status: Int32) -> Int32 { status < 128 ? status : 1 }
}
