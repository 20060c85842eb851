import ReluxControl
import ReluxWire

/// News for people, besides the records: events, refusals that belong to no record, and the troubles of the broker's own node.
package struct Notices: Sendable {
    /// The number of events that are kept, and the same number of refusals.
    static let limit = 32
    /// The number of outcomes of hand-overs.
    private static let outcomeLimit = 16

    /// The newest last.
    private(set) var remarks: [ClusterNote] = []
    /// Claims that were refused while the name's owner goes on; the newest last.
    private(set) var rejections: [String] = []
    /// Lines on clients that have missed answers because they took too much.
    package var clients: [String] = []
    var own = OwnNode()
    package internal(set) var counters = Counters()
    /// How the latest hand-overs ended; the newest last.
    private(set) var outcomes: [HandoverOutcome] = []
    /// Messages of connections that have not said who they are.
    var strangers = Strangers()

    /// The troubles of the broker's own node.
    struct OwnNode: Sendable {
        /// Why what it says, or the registry remembers, has to wait for a disk.
        var disk: [ClusterNote] = []
        /// Effects that clients wanted to emit and that were not accepted, since this broker began; nil when all were.
        var refused: [RefusalCount]?
        /// Effects that others have heard and its journal does not have.
        var forgotten: [ClusterNote] = []
        /// Parts of the run directory that cannot be had, and why.
        var files: [ClusterNote] = []
    }

    /// Messages that were refused or ignored because they did not fit; shown by `relux doctor`.
    package struct Counters: Sendable, Hashable {
        package var illegalTransitions: UInt64 = 0
        /// Messages that could not be decoded.
        package var malformed: UInt64 = 0
        /// Reports about processes or instances that are not the current ones.
        package var stale: UInt64 = 0
        package init() {}
    }

    mutating func restore(_ outcomes: [HandoverOutcome]) { self.outcomes = outcomes }

    mutating func note(_ outcome: HandoverOutcome) {
        outcomes.append(outcome)
        if outcomes.count > Self.outcomeLimit { outcomes.removeFirst() }
    }

    mutating func remark(_ note: ClusterNote) {
        remarks.append(note)
        if remarks.count > Self.limit { remarks.removeFirst() }
    }

    mutating func reject(_ refusal: Refusal) {
        rejections.append(refusal.named)
        if rejections.count > Self.limit { rejections.removeFirst() }
    }
}
