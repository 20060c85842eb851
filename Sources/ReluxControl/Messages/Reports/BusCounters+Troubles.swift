import ReluxWire

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
            (subscribersCut, "time", "that a process was cut off because it had subscribed more than \(Self.subscriptionLimit) bytes"),
            (refusedEarly, "effect", "refused before the module had joined"),
        ].filter { $0.0 > 0 }.map { "\($0.0.counted($0.1)) \($0.2)" }
    }

    /// A process that subscribes to more than this many bytes of topics is cut off.
    package static var subscriptionLimit: Int { 512 << 10 }
}
