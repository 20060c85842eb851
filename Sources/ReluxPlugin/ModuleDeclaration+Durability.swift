public import Relux
public import ReluxWire

extension ModuleDeclaration {
    /// The durability that the module was built to expect, or to promise, of a topic.
    public func durability(of topic: Topic) -> Relux.Durability { durabilities[topic] ?? .process }

    /// The durabilities of the types that it emits and handles; the declaration leaves out `process`.
    package static func durabilities(of types: [any Relux.Effect.Type]) -> [Topic: Relux.Durability] {
        Dictionary(types.map { ($0.wireTopic, $0.wireDurability) }, uniquingKeysWith: { first, _ in first })
    }

    /// The changes of an upgrade to `new` for those who use its topics: a sentence for each topic whose durability is another one, by topic.
    ///
    /// Topics that only one of the two knows are not named.
    public func durabilityChanges(to new: ModuleDeclaration) -> [String] {
        Set(handles + emits).intersection(new.handles + new.emits).sorted().compactMap { topic in
            let (old, new) = (durability(of: topic), new.durability(of: topic))
            guard old != new else { return nil }
            let advice =
                new > old
                ? "upgrade those that emit it before those that handle it" : "upgrade those that handle it before those that emit it"
            return "durability of \(topic): \(old.rawValue) → \(new.rawValue); \(advice)"
        }
    }
}

extension Contract {
    /// The same with what the module declares of its own topics.
    public func stating(_ durabilities: [Topic: Relux.Durability]) -> Contract {
        Contract(
            topics: topics.map { TopicContract(topic: $0.topic, cases: $0.cases, durability: durabilities[$0.topic] ?? .process) },
            snapshots: snapshots)
    }
}
