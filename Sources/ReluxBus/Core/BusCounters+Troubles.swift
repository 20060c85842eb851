import Relux
package import ReluxControl

extension BusCounters {
    /// Counts of things that did not get through, in words; empty when all did. Repairs are no loss and are not named.
    package var troubles: [String] {
        [
            (framesRefused, "frames could not be read"), (staleEpoch, "frames came from an earlier life of their publisher"),
            (notForUs, "effects were older than their recipient"), (duplicates, "records were said twice"),
            (oversizedSnapshots, "snapshots were over the limit of a record"),
            (missed, "transient effects were missed"), (transientsLost, "transient effects were lost with their recipient's process"),
            (uncodedSnapshots, "snapshots could not be coded"),
            (resultsLost, "effects were settled with a result that was lost with the power"),
            (subscribersCut, "times a process was cut off because it had subscribed more than \(SubscriptionBook.byteLimit) bytes"),
            (refusedEarly, "effects were refused before their module had joined"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    /// How many lines are kept.
    private static var lineLimit: Int { 32 }

    mutating func noteForgotten(by module: ModuleID, _ topic: Topic, _ range: ClosedRange<UInt64>) {
        let line = Ledger.text(ofForgotten: range, on: topic, of: module)
        if !forgotten.contains(line), forgotten.count < Self.lineLimit { forgotten.append(line) }
    }
}
