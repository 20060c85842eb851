package import ReluxWire

/// An effect that went by.
package struct TappedEffect: Sendable, Hashable {
    package var publisher: ModuleID
    package var topic: Topic
    package var epoch: Epoch
    package var record: EffectRecord
    /// The payload as it is shown; nil when it cannot be decoded.
    package let payload: CBORValue?

    package init(
        publisher: ModuleID, topic: Topic, epoch: Epoch, record: EffectRecord, order: FieldOrder = FieldOrder()
    ) {
        self.publisher = publisher
        self.topic = topic
        self.epoch = epoch
        self.record = record
        payload = order.value(of: record.payload, on: topic)
    }

    package var id: EffectID { EffectID(module: publisher, position: record.position) }

    /// `Auth.Business.Effect.login`.
    package var path: String { record.caseName.isEmpty ? topic.rawValue : "\(topic).\(record.caseName)" }
}

/// A recipient's word that it has finished with an effect.
package struct TappedSettlement: Sendable, Hashable {
    package var recipient: ModuleID
    package var effect: EffectID
    package var record: SettledRecord

    package init(recipient: ModuleID, effect: EffectID, record: SettledRecord) {
        self.recipient = recipient
        self.effect = effect
        self.record = record
    }

    /// The effect's, in its stream.
    package var sequence: UInt64 { record.effects.first { $0.position == effect.position }?.sequence ?? 0 }

    /// An equal share, where the record is of several effects.
    package var durationMicroseconds: UInt64 { record.durationMicroseconds / UInt64(record.effects.count) }

    /// The effects that an earlier run of the handler had said and the one that settled did not say again.
    package var diverged: [EffectID] { record.diverged.map { EffectID(module: recipient, position: $0) } }
}

/// A dispatch that was not accepted: nobody got it.
package struct TappedRefusal: Sendable, Hashable {
    /// In whose name it was dispatched.
    package var module: ModuleID
    package var record: RefusedRecord

    package init(module: ModuleID, record: RefusedRecord) {
        self.module = module
        self.record = record
    }

    /// `Auth.Business.Effect.login`.
    package var path: String { record.caseName.isEmpty ? record.topic : "\(record.topic).\(record.caseName)" }
}

package enum TapEvent: Sendable, Hashable {
    case effect(TappedEffect)
    case settlement(TappedSettlement)
    case refusal(TappedRefusal)
}
