import ReluxWire

extension Relux {
    /// Effects that interrupted handlers of a module had said, until their re-runs have said them again: pure.
    struct Recall: Sendable {
        private struct Key: Hashable {
            var topic: Topic
            var payload: [UInt8]
        }
        /// By cause, then in the order in which each was said.
        private var emissions: [EffectID: [Key: FIFO<Recovery.Emission>]] = [:]
        /// The cause of each emission that no re-run has said yet.
        private var causes: [EffectID: EffectID] = [:]
        /// Whole results that have come since the recovery.
        private var results: [EffectID: ActionResult] = [:]

        init(_ recovered: [EffectID: [Recovery.Emission]]) {
            for (cause, said) in recovered {
                for emission in said {
                    let key = Key(topic: emission.topic, payload: emission.payload)
                    emissions[cause, default: [:]][key, default: FIFO()].append(emission)
                    causes[emission.id] = cause
                }
            }
        }

        var isEmpty: Bool { emissions.isEmpty }

        /// The earliest emission of that cause with those very bytes that was not said again yet.
        mutating func take(_ cause: EffectID, _ topic: Topic, _ payload: [UInt8]) -> Recovery.Emission? {
            let key = Key(topic: topic, payload: payload)
            guard var emission = emissions[cause]?[key]?.popFirst() else { return nil }
            if emissions[cause]?[key]?.isEmpty == true { emissions[cause]?[key] = nil }
            if emissions[cause]?.isEmpty == true { emissions[cause] = nil }
            causes[emission.id] = nil
            if let result = results.removeValue(forKey: emission.id) { emission.result = result }
            return emission
        }

        /// The last recipient has settled an emission for which nobody waits yet.
        mutating func answered(_ effect: EffectID, _ result: ActionResult) {
            if causes[effect] != nil { results[effect] = result }
        }

        /// The re-run has ended: what it did not say again. What it has left running without waiting may still say it: it is kept for that.
        func end(_ cause: EffectID) -> [EffectID] {
            guard let left = emissions[cause] else { return [] }
            return left.values.flatMap { queue in (0..<queue.count).compactMap { queue[$0]?.id } }.sorted()
        }
    }
}
