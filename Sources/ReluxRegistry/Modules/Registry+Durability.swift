package import Relux
import ReluxPlugin
package import ReluxWire

/// Both ends of a topic have to mean the same by "accepted".
extension Registry {
    /// A publisher may promise more than the recipients of its topic were built to expect, never less.
    func durabilityViolation(of declaration: ModuleDeclaration) -> Refusal? {
        let id = declaration.id
        for (other, record) in modules.sorted(by: { $0.key < $1.key }) where other != id && record.isMember {
            guard let known = record.declaration else { continue }
            // Mostly nobody says anything.
            for topic in Set(declaration.durabilities.keys).union(known.durabilities.keys).sorted() {
                let (mine, theirs) = (declaration.durability(of: topic), known.durability(of: topic))
                if mine < theirs, declaration.emits.contains(topic), known.handles.contains(topic) {
                    return Self.tooLow(of: id, topic, mine, other, theirs)
                }
                if theirs < mine, declaration.handles.contains(topic), known.emits.contains(topic) {
                    return Self.tooLow(of: other, topic, theirs, id, mine)
                }
            }
        }
        return nil
    }

    private static func tooLow(
        of emitter: ModuleID, _ topic: Topic, _ said: Relux.Durability, _ hearer: ModuleID, _ expected: Relux.Durability
    ) -> Refusal {
        Refusal(
            .durabilityTooLow,
            "\(emitter) emits \(topic) as \(said.rawValue), \(hearer) was built for \(expected.rawValue): what it expects would be lost."
                + " Build both with the same interface; upgrade those that emit first when a topic becomes more durable, those"
                + " that handle it first when it becomes less")
    }

    /// How what comes through the ingress is kept: as those who handle it expect.
    package func durability(of topic: Topic) -> Relux.Durability {
        let asked = modules.values.filter(\.isMember).compactMap(\.declaration).filter { $0.handles.contains(topic) }
            .map { $0.durability(of: topic) }
        return asked.max() ?? .process
    }
}

extension ModuleDeclaration {
    var durabilityList: [String] { durabilities.map { "\($0.key): \($0.value.rawValue)" } }
}
