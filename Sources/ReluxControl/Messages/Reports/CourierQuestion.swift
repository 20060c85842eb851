package import ReluxWire

/// A question of a process to the courier, about publishers without a process. Asked again until it is answered; a second answer does no harm.
package enum CourierQuestion: Codable, Sendable, Hashable {
    /// Which of the publisher's streams hold records that wait for one of these modules. The asker counts its questions: a question
    /// asked before the publisher's last life has the same words, and another answer.
    case heads(of: ModuleID, for: [ModuleID], number: UInt64)
    /// The same of every publisher that is no member any more.
    case retired(for: [ModuleID], number: UInt64)
    /// The records that the recipient lacks of a stream; answered as a FETCH is.
    case records(of: ModuleID, topic: Topic, ranges: [ClosedRange<UInt64>], for: ModuleID)

    /// nil when it is about all that are no members.
    package var publisher: ModuleID? {
        switch self {
        case .heads(let publisher, _, _), .records(let publisher, _, _, _): publisher
        case .retired: nil
        }
    }
}

/// Frames as the publisher's own process would send them: READY for heads, with what it showed last; replays for records.
package struct CourierAnswer: Codable, Sendable, Hashable {
    package var question: CourierQuestion
    package var frames: [ByteString]
    /// The journal was removed after its time: the publisher will never ask for a settlement again.
    package var isForgotten: Bool

    package init(to question: CourierQuestion, frames: [ByteString], isForgotten: Bool = false) {
        self.question = question
        self.frames = frames
        self.isForgotten = isForgotten
    }
}

extension CourierAnswer {
    /// The same in several messages, in order, each with frames up to the limit or a single larger one: a host takes no message over its limit.
    /// Only the last one is the answer to what was asked.
    package func parts(byteLimit: Int) -> [CourierAnswer] {
        var parts: [CourierAnswer] = []
        var frames: [ByteString] = []
        var byteCount = 0
        for frame in self.frames {
            if !frames.isEmpty, byteCount + frame.bytes.count > byteLimit {
                parts.append(CourierAnswer(to: question.unnumbered, frames: frames))
                (frames, byteCount) = ([], 0)
            }
            frames.append(frame)
            byteCount += frame.bytes.count
        }
        return parts + [CourierAnswer(to: question, frames: frames, isForgotten: isForgotten)]
    }
}

extension CourierQuestion {
    /// Nobody waits for an answer to it: questions are counted from 1.
    package var unnumbered: CourierQuestion {
        switch self {
        case .heads(let publisher, let recipients, _): .heads(of: publisher, for: recipients, number: 0)
        case .retired(let recipients, _): .retired(for: recipients, number: 0)
        case .records: self
        }
    }
}
