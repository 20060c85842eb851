import Relux

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
        /// What there is instead, in numbers.
        package var detail: String

        package var message: String {
            let (publisher, recipient) = (key.publisher, key.recipient)
            let what = "\(count) effect\(count == 1 ? "" : "s") of \(publisher) on \(key.topic)"
            let place = first.map { ", the first is sequence \($0)" } ?? ""
            let text =
                switch kind {
                case .unaccounted: "\(what) to \(recipient) are unaccounted for"
                case .unsettled: "\(what) are settled by \(recipient) in the journal of \(publisher), but not in its own"
                case .unanswered: "\(what) wait for \(recipient), which is through with them and says no settlement"
                case .unknown: "\(what) were handled by \(recipient), but the journal of \(publisher) never accepted them"
                case .unsaid: "\(count) settlements of \(recipient) were taken by \(publisher), but its own journal never said them"
                case .letterless: "\(what) were given up by \(recipient), and there is no dead letter of them"
                case .stranded: "\(what) wait for \(recipient), which is no module of the cluster"
                }
            return text + place + (detail.isEmpty ? "" : ": \(detail)")
        }

        /// What to do next.
        package var remedy: String {
            let (publisher, recipient) = (key.publisher, key.recipient)
            return switch kind {
            case .unaccounted: "look for a HOLE or damage: relux journal show \(publisher)"
            case .unsettled, .unsaid, .letterless:
                "the journal of \(recipient) has lost its end or was replaced: relux journal show \(recipient)"
            case .unanswered: "relux module restart \(recipient), then audit again; keep both journals if it stays"
            case .unknown: "the journal of \(publisher) has lost its end or was replaced: relux journal show \(publisher)"
            case .stranded: "load \(recipient) again, or relux module restart \(publisher), which then books them as lost"
            }
        }
    }
}
