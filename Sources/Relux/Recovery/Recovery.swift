package import ReluxWire

extension Relux {
    /// The journal's account of a module's earlier lives; given to the module before it is opened. Empty for a first life.
    package struct Recovery: Sendable {
        /// Something that an interrupted handler had said before it died.
        package struct Emission: Sendable, Hashable {
            package var id: EffectID
            package var topic: Topic
            package var payload: [UInt8]
            /// The answers of its recipients so far: all of them when nobody is `pending` for it, else a part, which the rest is
            /// added to. nil when nobody has answered.
            package var result: ActionResult?

            package init(id: EffectID, topic: Topic, payload: [UInt8], result: ActionResult? = nil) {
                self.id = id
                self.topic = topic
                self.payload = payload
                self.result = result
            }

            package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
            package func hash(into hasher: inout Hasher) { hasher.combine(id) }
        }

        /// Streams that the module has said nothing on begin behind this sequence.
        package var start: UInt64 = 0
        /// The last position that was given out; the next effect gets the one after it.
        package var position: UInt64 = 0
        /// The last sequence of each stream of the module.
        package var sequences: [Topic: UInt64] = [:]
        /// The module's own effects that somebody still has to settle, and who.
        package var pending: [EffectID: [ModuleID]] = [:]
        /// The answers that some recipients of those effects have given already.
        package var partial: [EffectID: ActionResult] = [:]
        /// By the effect that was being handled, in the order in which they were said.
        package var emissions: [EffectID: [Emission]] = [:]
        /// Values kept by `once`, by the effect that was being handled and the name.
        package var once: [EffectID: [String: [UInt8]]] = [:]
        /// The last captured value of each restorable state, by its name.
        package var states: [String: CapturedState] = [:]
        /// Where each schedule stands, by its name.
        package var schedules: [String: SchedulePlace] = [:]
        /// Effects whose handlers ran when the process died, oldest first, and how often that has happened to each.
        package var suspects: [Suspect] = []
        /// Effects that were suspects of earlier deaths and neither ran at the last one nor are settled.
        package var carried: [Suspect] = []

        package init() {}
    }

    /// An effect that was being handled when its process died.
    package struct Suspect: Sendable, Hashable {
        package var effect: EffectID
        /// Deaths so far, this one included.
        package var deaths: Int
        /// No other handler of the module ran at the last death.
        package var wasAlone: Bool

        package init(effect: EffectID, deaths: Int, wasAlone: Bool) {
            self.effect = effect
            self.deaths = deaths
            self.wasAlone = wasAlone
        }
    }

    /// The value of one restorable state at one moment between two reductions.
    package struct CapturedState: Sendable, Hashable {
        /// Stable: the state's type path.
        package var name: String
        package var version: UInt32
        /// CBOR of the state's `Stored`, secrets sealed.
        package var bytes: [UInt8]
        /// Effects that it has reduced and that the module has not settled: their re-run skips the reducer.
        package var reduced: [EffectID]

        package init(name: String, version: UInt32, bytes: [UInt8], reduced: [EffectID]) {
            self.name = name
            self.version = version
            self.bytes = bytes
            self.reduced = reduced
        }
    }

    /// A value that `once` made while an effect was handled.
    package struct KeptValue: Sendable, Hashable {
        /// The effect whose handler asked.
        package var cause: EffectID
        package var name: String
        /// CBOR of the value, secrets sealed.
        package var bytes: [UInt8]
        /// The module's life in this process; 0 when it does not matter.
        package var life: UInt64

        package init(cause: EffectID, name: String, bytes: [UInt8], life: UInt64 = 0) {
            self.life = life
            self.cause = cause
            self.name = name
            self.bytes = bytes
        }
    }
}
