import ReluxWire
import Synchronization

extension Relux {
    /// Dispatches of a process that found no node: nobody's table counts them.
    ///
    /// Design notes. What is dispatched outside a node has no module, no clock and no journal; only its site tells whose it is. A host knows its
    /// modules and adopts what is theirs at once (``adoptHomeless(_:)``); what came before it had any it takes later (``takeHomeless()``). Elsewhere
    /// the line on standard error is all there is.
    final class Homeless: Sendable {
        fileprivate struct Noted: Sendable {
            var refusals = Refusals()
            var untaken: [(refused: RefusedDispatch, count: UInt64)] = []
            var adopter: (@Sendable (RefusedDispatch) -> Bool)?
        }

        private let noted = Mutex(Noted())
        private let say: @Sendable (String) -> Void

        init(say: @escaping @Sendable (String) -> Void = printToStandardError) { self.say = say }

        /// The process's; a test binds one of its own.
        @TaskLocal static var present = Homeless()

        static func refuse(_ batch: [any Relux.Action], label: String, site: Site) -> ActionResult {
            for action in batch { present.refuse(action, label: label, site: site) }
            return .refused(.noNode)
        }

        private func refuse(_ action: any Relux.Action, label: String, site: Site) {
            let refused = RefusedDispatch(
                module: "nobody", topic: RefusedDispatch.topic(of: action), caseName: EnumReflection(action).caseName ?? "", label: label,
                site: site, failure: .noNode)
            if let adopter = noted.withLock({ $0.adopter }), adopter(refused) { return }
            let now = NodeClock.continuous.now()
            let report = noted.withLock { noted in
                noted.keep(refused)
                return noted.refusals.note(refused, now: now).report
            }
            if let report { say(report.line) }
        }

        func adopt(_ adopter: @escaping @Sendable (RefusedDispatch) -> Bool) { noted.withLock { $0.adopter = adopter } }

        /// Writes what was kept back of them, too.
        func take() -> [(refused: RefusedDispatch, count: UInt64)] {
            let (untaken, reports) = noted.withLock { noted in
                defer { noted.untaken = [] }
                return (noted.untaken, noted.untaken.isEmpty ? [] : noted.refusals.rest())
            }
            for report in reports { say(report.line) }
            return untaken
        }
    }

    /// From now on, what is dispatched in this process outside a node is given to the caller at once, who counts and writes it; false when it does not.
    package static func adoptHomeless(_ adopter: @escaping @Sendable (RefusedDispatch) -> Bool) { Homeless.present.adopt(adopter) }

    /// Dispatches outside a node that nobody has adopted since the last call, and how often each was made. Each is written by now, and given out once.
    package static func takeHomeless() -> [(refused: RefusedDispatch, count: UInt64)] { Homeless.present.take() }
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
