package import ReluxControl
package import ReluxWire

/// Recipients that are known to be absent, as the cluster's picture says it: nobody waits for them, and what goes by is kept for them.
package struct Absentees: Sendable, Hashable {
    /// Sorted, of each topic that has some.
    private var parked: [Topic: [ModuleID]] = [:]
    /// Topics that have no other recipients.
    private var abandoned: Set<Topic> = []

    package init() {}

    package init(_ picture: ClusterPicture) {
        let absences = picture.absences
        guard !absences.isEmpty else { return }
        for (topic, recipients) in picture.recipients {
            let absent = recipients.filter { absences[$0] != nil }
            guard !absent.isEmpty else { continue }
            parked[topic] = absent.sorted()
            if absent.count == recipients.count { abandoned.insert(topic) }
        }
    }

    package func parked(_ effect: TappedEffect) -> [ModuleID] { parked[effect.topic] ?? [] }

    func isAbandoned(_ effect: TappedEffect) -> Bool { abandoned.contains(effect.topic) }
}
