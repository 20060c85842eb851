import Relux

extension Ledger {
    /// The latest requests of the ingress, by position of the effect, and as many of their answers as have room.
    package struct RequestBook: Sendable {
        /// How many requests are remembered; an older id counts as new.
        static let limit = 4096
        /// How many bytes of their answers are remembered; an older request keeps only its id and that it is settled.
        package static let byteLimit = 16 << 20

        package private(set) var all: [UInt64: Request] = [:]
        private var order: [UInt64] = []
        /// Before this index in `order` no settled request has answers any more.
        private var oldestAnswered = 0
        /// The bytes of all answers.
        package private(set) var byteCount = 0

        package var isEmpty: Bool { all.isEmpty }

        mutating func remember(_ request: Request, at position: UInt64) {
            all[position] = request
            byteCount += request.byteCount
            order.append(position)
            guard order.count > 2 * Self.limit else { return }
            for old in order.prefix(Self.limit) { byteCount -= all.removeValue(forKey: old)?.byteCount ?? 0 }
            order.removeFirst(Self.limit)
            oldestAnswered = max(0, oldestAnswered - Self.limit)
        }

        /// Keeps an answer, and forgets those of the oldest settled requests when all together are too large.
        mutating func remember(_ answer: Answer, at position: UInt64, isPending: (Request) -> Bool) {
            guard all[position] != nil else { return }
            all[position]?.answers.append(answer)
            byteCount += answer.result.bytes.count
            while byteCount > Self.byteLimit, oldestAnswered < order.count {
                forgetAnswers(at: order[oldestAnswered], isPending)
                oldestAnswered += 1
            }
        }

        private mutating func forgetAnswers(at position: UInt64, _ isPending: (Request) -> Bool) {
            guard let request = all[position], !isPending(request), !request.answers.isEmpty else { return }
            all[position]?.forgottenBytes = request.byteCount
            all[position]?.answers = []
            byteCount -= request.byteCount
        }
    }
}
