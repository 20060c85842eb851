import Relux
import ReluxWire

extension Audit {
    /// Something that does not balance.
    package struct Finding: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The publisher's own numbers do not add up.
            case unaccounted
            /// The publisher has it settled, the recipient's journal does not.
            case unsettled
            /// The publisher waits for it, the recipient is through with it and will say nothing more.
            case unanswered
            /// The recipient has handled what the publisher's journal never accepted.
            case unknown
            /// The publisher has taken settlements that the recipient's journal never said.
            case unsaid
            /// An effect was given up, and its letter is not there.
            case letterless
            /// It waits for a module that the cluster does not have.
            case stranded
        }

        package var kind: Kind
        package var key: Key
        /// Effects.
        package var count: UInt64
        /// The first of their sequences; nil where only numbers are known.
        package var first: UInt64?
        /// The state that was found instead, in numbers.
        package var detail: String

        package var message: String {
            let (publisher, recipient) = (key.publisher, key.recipient)
            let place = first.map { ", the first is sequence \(LifeNumber.text(of: $0))" } ?? ""
            let what =
                switch kind {
                case .unaccounted: "unaccounted for"
                case .unsettled: "settled by \(recipient) as the journal of \(publisher) says, but not in its own"
                case .unanswered: "waiting for \(recipient), which has finished with them and will not settle them"
                case .unknown: "handled by \(recipient), but never accepted in the journal of \(publisher)"
                case .unsaid: "settled for \(publisher), but never in the journal of \(recipient)"
                case .letterless: "given up by \(recipient) without a dead letter"
                case .stranded: "waiting for \(recipient), which is no module of the cluster"
                }
            return "\(publisher) on \(key.topic) to \(recipient): \(count) \(what)\(place)" + (detail.isEmpty ? "" : ": \(detail)")
        }

        /// The broker speaks for clients under a name of its own, which no command restarts.
        private static func restart(_ module: ModuleID) -> String {
            module == "Cluster" ? "the broker's next life (relux down, then relux up)" : "relux module restart \(module)"
        }

        /// The step to take next.
        package var remedy: String {
            let (publisher, recipient) = (key.publisher, key.recipient)
            return switch kind {
            case .unaccounted: "look for a hole or damage in its journal: relux journal show \(publisher)"
            case .unsettled, .unsaid, .letterless:
                "the journal of \(recipient) has lost its end, or is an older copy; \(Self.restart(recipient)) makes it say what is gone"
            case .unanswered: "relux module restart \(recipient), then audit again; keep both journals if it stays"
            case .unknown:
                "the journal of \(publisher) has lost its end, or is an older copy; \(Self.restart(publisher)) makes it say what is gone"
            case .stranded: "load \(recipient) again, or relux module restart \(publisher), which then books them as lost"
            }
        }
    }
}
