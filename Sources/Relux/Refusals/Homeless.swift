import ReluxWire
import Synchronization

extension Relux {
    /// Dispatches of this process that found no node: nobody's table counts them.
    ///
    /// Design notes. What is dispatched outside a node has no module, no clock and no journal; only its site tells whose it is. A host takes
    /// what was noted here and gives it to its modules (``takeHomeless()``); elsewhere the line on standard error is all there is.
    enum Homeless {
        fileprivate struct Noted: Sendable {
            var refusals = Refusals()
            var untaken: [(refused: RefusedDispatch, count: UInt64)] = []
        }

        // lint:allow state.global: bounds what is written to standard error; no dispatch depends on it
        private static let noted = Mutex(Noted())

        /// Takes the lines of a task and of what it starts; nil writes to standard error.
        @TaskLocal static var reporter: (@Sendable (String) -> Void)?

        static func refuse(_ batch: [any Relux.Action], label: String, site: Site) -> ActionResult {
            for action in batch {
                let refused = RefusedDispatch(
                    module: "nobody", topic: RefusedDispatch.topic(of: action), caseName: EnumReflection(action).caseName ?? "", label: label,
                    site: site, failure: .noNode)
                let now = NodeClock.continuous.now()
                let report = noted.withLock { noted in
                    noted.keep(refused)
                    return noted.refusals.note(refused, now: now).report
                }
                if let report { (reporter ?? printToStandardError)(report.line) }
            }
            return .refused(.noNode)
        }

        static func take() -> [(refused: RefusedDispatch, count: UInt64)] {
            noted.withLock { noted in
                defer { noted.untaken = [] }
                return noted.untaken
            }
        }
    }

    /// What was dispatched in this process outside a node since the last call, with how often; each is given out once.
    package static func takeHomeless() -> [(refused: RefusedDispatch, count: UInt64)] { Homeless.take() }
}

extension Relux.Homeless.Noted {
    /// Bounded as the table is: in a process without a host nobody takes it.
    fileprivate mutating func keep(_ refused: Relux.RefusedDispatch) {
        if let place = untaken.firstIndex(where: { $0.refused == refused }) {
            untaken[place].count += 1
        } else if untaken.count < Relux.Refusals.limit {
            untaken.append((refused, 1))
        }
    }
}
