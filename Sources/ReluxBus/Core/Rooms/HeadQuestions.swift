import Relux
import ReluxControl

/// Questions for heads that the courier has not answered. Pure.
struct HeadQuestions: Sendable {
    /// By publisher; nil for all that are no members.
    private(set) var unanswered: [ModuleID?: (question: CourierQuestion, askedAt: Duration)] = [:]
    private var number: UInt64 = 0

    var isEmpty: Bool { unanswered.isEmpty }

    /// A question that has to be answered, in the place of an earlier one about the same.
    mutating func ask(about publisher: ModuleID?, for recipients: [ModuleID], now: Duration) -> CourierQuestion {
        number += 1
        let question: CourierQuestion =
            if let publisher { .heads(of: publisher, for: recipients, number: number) } else { .retired(for: recipients, number: number) }
        unanswered[publisher] = (question, now)
        return question
    }

    /// An answer to an earlier question knows nothing of what has been said since.
    mutating func note(answered question: CourierQuestion) {
        if unanswered[question.publisher]?.question == question { unanswered[question.publisher] = nil }
    }

    mutating func keep(where isKept: (ModuleID) -> Bool) { unanswered = unanswered.filter { $0.key.map(isKept) ?? true } }

    mutating func removeAll() { unanswered = [:] }

    /// Those that have waited that long are asked again.
    mutating func takeDue(now: Duration, patience: Duration) -> [CourierQuestion] {
        let due = unanswered.filter { now - $0.value.askedAt >= patience }
        for publisher in due.keys { unanswered[publisher]?.askedAt = now }
        return due.sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }.map(\.value.question)
    }
}
