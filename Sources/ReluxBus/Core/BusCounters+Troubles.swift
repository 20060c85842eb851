import Relux
package import ReluxControl

extension BusCounters {
    /// Counts of things that did not get through, in words; empty when all did. Repairs are no loss and are not named.
    package var troubles: [String] {
        [
            (framesRefused, "frame", "that could not be read"), (staleEpoch, "frame", "from an earlier life of the publisher"),
            (notForUs, "effect", "older than the recipient"), (duplicates, "record", "said twice"),
            (oversizedSnapshots, "snapshot", "over the limit of a record"),
            (missed, "transient effect", "missed"), (transientsLost, "transient effect", "lost with the recipient's process"),
            (uncodedSnapshots, "snapshot", "that could not be coded"),
            (resultsLost, "effect", "settled with a result that was lost with the power"),
            (subscribersCut, "time", "that a process was cut off because it had subscribed more than \(SubscriptionBook.byteLimit) bytes"),
            (refusedEarly, "effect", "refused before the module had joined"),
        ].filter { $0.0 > 0 }.map { "\($0.0.counted($0.1)) \($0.2)" }
    }

    /// How many notes are kept.
    private static var noteLimit: Int { 32 }

    mutating func noteForgotten(by module: ModuleID, _ topic: Topic, _ range: ClosedRange<UInt64>) {
        let note = ClusterNote(.journal, Ledger.text(ofForgotten: range, on: topic, of: module), of: module)
        if !forgotten.contains(note), forgotten.count < Self.noteLimit { forgotten.append(note) }
    }
}
