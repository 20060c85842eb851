import ReluxWire

extension Relux {
    /// What interrupted handlers of a module had said, until their re-runs have said it again: pure.
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
            guard var emission = emissions[cause]?[Key(topic: topic, payload: payload)]?.popFirst() else { return nil }
            causes[emission.id] = nil
            if let result = results.removeValue(forKey: emission.id) { emission.result = result }
            return emission
        }

        /// The last recipient has settled an emission for which nobody waits yet.
        mutating func answered(_ effect: EffectID, _ result: ActionResult) {
            if causes[effect] != nil { results[effect] = result }
        }

        /// The re-run has ended: what it did not say again.
        mutating func end(_ cause: EffectID) -> [EffectID] {
            guard emissions.removeValue(forKey: cause) != nil else { return [] }
            let left = causes.filter { $0.value == cause }.keys.sorted()
            for id in left {
                causes[id] = nil
                results[id] = nil
            }
            return left
        }
    }
}
