import ReluxWire
import Synchronization

extension Relux {
    /// The facts about an effect's type that a dispatch asks for, asked once: a witness of the author's may build and check its topic each
    /// time, and the runtime searches for a conformance whenever an action is looked at as an effect.
    final class EffectKind: Sendable {
        let topic: Topic
        let durability: Durability
        /// Why effects of that type cannot travel; nil when they can.
        let failure: Failure?
        private let type: any Relux.Effect.Type
        private let key: ObjectIdentifier
        /// An object may be said as what its class inherits from.
        private let isClass: Bool
        private let coder: any EffectCoding

        private init(_ type: any Relux.Effect.Type) {
            (self.type, key, isClass) = (type, ObjectIdentifier(type), type is AnyClass)
            func coder<Kind: Relux.Effect>(_ type: Kind.Type) -> any EffectCoding { EffectCoder<Kind>() }
            self.coder = coder(type)
            topic = type.wireTopic
            durability = type.wireDurability
            failure = topic.fault(as: .effect).map { Failure.unusableTopic($0) }
        }

        // lint:allow state.global: only a cache of what types say of themselves, no behaviour depends on it
        private static let known = Mutex<[ObjectIdentifier: EffectKind?]>([:])
        // lint:allow state.global: the kind that was asked for last, one of those; mostly it is the next one too
        private static let last = Atomic<UInt>(0)

        /// nil for an action that is no effect.
        static func of(_ action: any Relux.Action) -> EffectKind? {
            // A kind that was made once is there for good.
            let type = said(action)
            if let place = UnsafeRawPointer(bitPattern: last.load(ordering: .acquiring)) {
                let kind = Unmanaged<EffectKind>.fromOpaque(place).takeUnretainedValue()
                if !kind.isClass, kind.key == ObjectIdentifier(type) { return kind }
            }
            return looked(for: action)
        }

        @inline(never)
        private static func looked(for action: any Relux.Action) -> EffectKind? { looked(for: Swift.type(of: action)) }

        /// `type(of:)` would copy the action.
        @inline(never)
        private static func said<Said: Relux.Action>(_ said: borrowing Said) -> any Relux.Action.Type { Said.self }

        private static func looked(for type: any Relux.Action.Type) -> EffectKind? {
            let key = ObjectIdentifier(type)
            if let kind = known.withLock({ $0[key] }) { return kind.map(remember) }
            // Without the lock: the witnesses are the author's.
            let made = (type as? any Relux.Effect.Type).map { EffectKind($0) }
            // Another thread may have been first: one of them stays.
            let kind = known.withLock { known in
                if let first = known[key] { return first }
                known[key] = .some(made)
                return made
            }
            return kind.map(remember)
        }

        private static func remember(_ kind: EffectKind) -> EffectKind {
            last.store(UInt(bitPattern: Unmanaged.passUnretained(kind).toOpaque()), ordering: .releasing)
            return kind
        }

        static func of(effect: any Relux.Effect) -> EffectKind { of(effect) ?? EffectKind(Swift.type(of: effect)) }

        /// The bytes of an action of this kind, which was found by that action. A copy in an effect's box would cost as much as the coding.
        func encode(_ action: any Relux.Action, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
            func open<Said: Relux.Action>(_ said: Said) throws(WireError) -> [UInt8] {
                // A subclass may be said as what it inherits from.
                guard Said.self == type else {
                    guard let effect = effect(action) else { preconditionFailure("a kind is found by the type of its action") }
                    return try CBOR.encode(effect, userInfo: userInfo)
                }
                return try withUnsafePointer(to: said) { pointer throws(WireError) in try coder.encode(UnsafeRawPointer(pointer), userInfo: userInfo) }
            }
            return try open(action)
        }

        /// The action as an effect; nil when it is of another kind.
        func effect(_ action: any Relux.Action) -> (any Relux.Effect)? {
            func cast<Kind: Relux.Effect>(_ type: Kind.Type) -> (any Relux.Effect)? { action as? Kind }
            return _openExistential(type, do: cast)
        }
    }
}

/// Reads an effect of one type where it lies.
private protocol EffectCoding: Sendable {
    func encode(_ effect: UnsafeRawPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8]
}

private struct EffectCoder<Kind: Relux.Effect>: EffectCoding {
    func encode(_ effect: UnsafeRawPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
        try CBOR.encode(effect.assumingMemoryBound(to: Kind.self).pointee, userInfo: userInfo)
    }
}
