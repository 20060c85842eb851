public import ReluxWire

extension Relux {
    /// The result of a dispatch: one outcome per recipient, successes kept beside failures.
    ///
    /// A `Flow` returns one to answer; the values of several recipients never collide, because the runtime files them under
    /// (module, handler).
    public struct ActionResult: Sendable {
        /// The recipient that answered: a module and, within it, the flow's type path.
        public struct Recipient: Hashable, Comparable, Sendable, CustomStringConvertible {
            public var module: ModuleID
            public var handler: String
            public init(module: ModuleID, handler: String = "") {
                self.module = module
                self.handler = handler
            }
            public var description: String { handler.isEmpty ? "\(module)" : "\(module)/\(handler)" }
            public static func < (a: Self, b: Self) -> Bool { (a.module, a.handler) < (b.module, b.handler) }
        }

        public enum Status: String, Sendable, Codable {
            case succeeded, failed, lost, refused
            /// It is not handled any more: undecodable, or its handler died with the process too often.
            case deadLettered
            /// The deadline passed first; only the waiting ended.
            case unanswered
            /// It is known to be absent, so nobody waited for it; the effect is kept for it. See ``Awaiting``.
            case parked
        }

        public struct Outcome: Sendable {
            public var recipient: Recipient
            public var status: Status
            public var value: ResultValue?
            /// Why it did not succeed; of a recipient that is `parked`, why it is absent.
            public var failure: Failure?
            public init(recipient: Recipient, status: Status, value: ResultValue? = nil, failure: Failure? = nil) {
                self.recipient = recipient
                self.status = status
                self.value = value
                self.failure = failure
            }
        }

        public internal(set) var outcomes: [Outcome]
        /// True when an action or effect of the batch had no recipient; still a success.
        public internal(set) var isUnhandled: Bool
        /// True when an action or effect of the batch was not accepted: nothing of it was sent, and its outcome says why. It is counted and
        /// written to the module's log besides.
        public internal(set) var isRefused = false

        public init(outcomes: [Outcome] = [], isUnhandled: Bool = false) {
            self.outcomes = outcomes
            self.isUnhandled = isUnhandled
        }

        public static let success = ActionResult()
        public static func success(_ value: some Codable & Sendable) -> ActionResult {
            ActionResult(outcomes: [Outcome(recipient: .own(), status: .succeeded, value: ResultValue(value))])
        }
        public static func failure(_ error: any Error) -> ActionResult {
            ActionResult(outcomes: [Outcome(recipient: .own(), status: .failed, failure: Failure(error))])
        }
        static let unhandled = ActionResult(isUnhandled: true)
        /// The dispatch was not accepted.
        static func refused(_ failure: Failure) -> ActionResult { refused(failure, by: .own(), as: .failed) }
        static func refused(_ failure: Failure, by recipient: Recipient, as status: Status) -> ActionResult {
            var result = ActionResult(outcomes: [Outcome(recipient: recipient, status: status, failure: failure)])
            result.isRefused = true
            return result
        }

        /// All awaited recipients have succeeded. ``parked`` ones do not count: a caller that needs those too asks for ``Awaiting/everyone``.
        public var isSuccess: Bool {
            // Looked at in place: asked several times for each effect, and a copy of an outcome costs a retain for each of its parts.
            outcomes.indices.allSatisfy { outcomes[$0].status == .succeeded || outcomes[$0].status == .parked }
        }
        public var isFailure: Bool { !isSuccess }
        /// Why the result is no success; empty when it is one.
        public var failures: [Failure] { outcomes.compactMap { $0.status == .parked ? nil : $0.failure } }
        /// Modules that had not settled when the deadline passed.
        public var unanswered: [ModuleID] { outcomes.filter { $0.status == .unanswered }.map(\.recipient.module) }
        /// Modules that nobody waited for, and why each is absent. They handle the effect when they are back.
        public var parked: [ModuleID: String] {
            outcomes.reduce(into: [:]) { parked, outcome in
                if outcome.status == .parked { parked[outcome.recipient.module] = outcome.failure?.details[Failure.whyKey] ?? "" }
            }
        }
        /// Modules that are known to be absent, and why: the ``parked`` ones, and those to which a transient effect is lost for it.
        public var absent: [ModuleID: String] {
            outcomes.reduce(into: [:]) { absent, outcome in
                guard outcome.status == .parked || outcome.status == .lost, let why = outcome.failure?.details[Failure.whyKey] else { return }
                absent[outcome.recipient.module] = why
            }
        }

        /// The first value that decodes as `T`, in order of the recipients' names.
        public func value<T: Codable & Sendable>(_ type: T.Type = T.self) -> T? {
            firstValue(type, among: outcomes)
        }
        /// The value that a module answered; if several flows answered, that of the first by name.
        public func value<T: Codable & Sendable>(_ type: T.Type = T.self, from module: ModuleID) -> T? {
            firstValue(type, among: outcomes.filter { $0.recipient.module == module })
        }
        /// Every value that decodes as `T`, by who answered it; of a batch, the last one counts.
        public func values<T: Codable & Sendable>(_ type: T.Type = T.self) -> [Recipient: T] {
            outcomes.reduce(into: [:]) { values, outcome in
                if let value = outcome.value?.decode(type) { values[outcome.recipient] = value }
            }
        }

        private func firstValue<T: Codable & Sendable>(_ type: T.Type, among outcomes: [Outcome]) -> T? {
            // `min` keeps the first of equals, which is the order of the batch.
            outcomes.compactMap { outcome in outcome.value?.decode(type).map { (outcome.recipient, $0) } }
                .min { $0.0 < $1.0 }?.1
        }

        public mutating func merge(_ other: ActionResult) {
            outcomes.append(contentsOf: other.outcomes)
            isUnhandled = isUnhandled || other.isUnhandled
            isRefused = isRefused || other.isRefused
        }
    }
}

extension Relux.ActionResult.Outcome {
    /// - Parameter why: it is absent.
    static func parked(_ module: ModuleID, _ why: String) -> Self {
        Self(recipient: .init(module: module), status: .parked, failure: .parked(module.rawValue, why))
    }
}
