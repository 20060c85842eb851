import ReluxWire
import Synchronization

extension Relux {
    /// What a dispatch asks an effect's type for, asked once: a witness of the author's may build and check its topic each time.
    struct EffectKind: Sendable {
        let topic: Topic
        let durability: Durability
        /// Why effects of that type cannot travel; nil when they can.
        let failure: Failure?

        private init(_ type: any Relux.Effect.Type) {
            topic = type.wireTopic
            durability = type.wireDurability
            failure = topic.fault(as: .effect).map { Failure.unusableTopic($0) }
        }

        // lint:allow state.global: only a cache of what types say of themselves, no behaviour depends on it
        private static let known = Mutex<[ObjectIdentifier: EffectKind]>([:])

        static func of(_ type: any Relux.Effect.Type) -> EffectKind {
            let key = ObjectIdentifier(type)
            if let kind = known.withLock({ $0[key] }) { return kind }
            // Without the lock: the witnesses are the author's.
            let kind = EffectKind(type)
            known.withLock { $0[key] = kind }
            return kind
        }
    }
}
