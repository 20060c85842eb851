import ReluxWire
import Synchronization

extension Relux {
    /// What a dispatch asks an effect's type for, asked once: a witness of the author's may build and check its topic each time, and the runtime
    /// searches for a conformance whenever an action is looked at as an effect.
    final class EffectKind: Sendable {
        let topic: Topic
        let durability: Durability
        /// Why effects of that type cannot travel; nil when they can.
        let failure: Failure?
        private let type: any Relux.Effect.Type

        private init(_ type: any Relux.Effect.Type) {
            self.type = type
            topic = type.wireTopic
            durability = type.wireDurability
            failure = topic.fault(as: .effect).map { Failure.unusableTopic($0) }
        }

        // lint:allow state.global: only a cache of what types say of themselves, no behaviour depends on it
        private static let known = Mutex<[ObjectIdentifier: EffectKind?]>([:])

        /// nil for an action that is no effect.
        static func of(_ action: any Relux.Action) -> EffectKind? {
            let type = Swift.type(of: action)
            let key = ObjectIdentifier(type)
            if let kind = known.withLock({ $0[key] }) { return kind }
            // Without the lock: the witnesses are the author's.
            let kind = (type as? any Relux.Effect.Type).map { EffectKind($0) }
            known.withLock { $0[key] = .some(kind) }
            return kind
        }

        static func of(effect: any Relux.Effect) -> EffectKind { of(effect) ?? EffectKind(Swift.type(of: effect)) }

        /// The action as an effect; nil when it is of another kind.
        func effect(_ action: any Relux.Action) -> (any Relux.Effect)? {
            func cast<Kind: Relux.Effect>(_ type: Kind.Type) -> (any Relux.Effect)? { action as? Kind }
            return _openExistential(type, do: cast)
        }
    }
}
