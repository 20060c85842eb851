package import ReluxWire

extension Relux {
    /// One effect on its way to one recipient.
    package struct Delivery: Sendable {
        package enum Content: Sendable {
            case effect(any Relux.Effect)
            /// As it came off the bus; decoded by the recipient's drain, not by the socket's thread.
            case encoded(ArraySlice<UInt8>, as: any Relux.Effect.Type)
        }

        /// Fingerprints of the effect type's contract as its publisher and as the recipient was built with it; 0 where that is not known.
        package struct Contracts: Sendable, Hashable {
            package var said: UInt64 = 0
            package var read: UInt64 = 0

            package init(said: UInt64 = 0, read: UInt64 = 0) {
                self.said = said
                self.read = read
            }
        }

        /// What the publisher has said: one reference, for a delivery is queued, taken and handed on.
        private final class Letter: Sendable {
            let id: EffectID
            let topic: Topic
            let sequence: UInt64
            let content: Content
            let ancestry: [EffectID]
            let awaitDepth: Int
            let deadline: Duration?

            init(
                _ id: EffectID, _ topic: Topic, _ sequence: UInt64, _ content: Content, _ ancestry: [EffectID], _ awaitDepth: Int,
                _ deadline: Duration?
            ) {
                (self.id, self.topic, self.sequence, self.content) = (id, topic, sequence, content)
                (self.ancestry, self.awaitDepth, self.deadline) = (ancestry, awaitDepth, deadline)
            }
        }
        private let letter: Letter

        package var id: EffectID { letter.id }
        package var topic: Topic { letter.topic }
        /// Where in its stream.
        package var sequence: UInt64 { letter.sequence }
        package var content: Content { letter.content }
        /// From the root to the direct cause; empty for a root.
        package var ancestry: [EffectID] { letter.ancestry }
        /// How many of the last ancestors wait for this effect.
        package var awaitDepth: Int { letter.awaitDepth }
        /// On the node's clock; nil when nobody waits.
        package var deadline: Duration? { letter.deadline }
        /// What its publisher has promised.
        package var durability = Durability.process
        /// The recipient's life in this process that it is meant for: no other one takes it. 0 when it does not matter.
        package var life: UInt64 = 0
        /// For whoever has to explain a payload that cannot be read.
        package var contracts = Contracts()
        /// It was being handled when the process died; set by the recipient's party.
        var isSuspect = false
        /// It is that, or runs beside one; set by the recipient's party.
        var isOnTrial = false

        package init(
            id: EffectID, topic: Topic, sequence: UInt64 = 0, content: Content, ancestry: [EffectID], awaitDepth: Int,
            deadline: Duration?
        ) {
            letter = Letter(id, topic, sequence, content, ancestry, awaitDepth, deadline)
        }
    }

    /// What a module says, ready to be journaled and published.
    ///
    /// One reference: it waits in a queue, and is looked at more than once.
    package final class Appended: Sendable {
        package let id: EffectID
        package let topic: Topic
        package let sequence: UInt64
        package let caseName: String
        package let payload: [UInt8]
        package let ancestry: [EffectID]
        package let awaitDepth: Int
        package let remaining: Duration?
        package let memberVersion: UInt64
        /// Everyone who has to settle it, wherever they run.
        package let recipients: [ModuleID]
        /// The handler that it comes from has returned already.
        package let isDetached: Bool
        package let site: Site
        package let label: String
        /// Under which a client has asked for it; empty when nobody has.
        package let request: String
        package let awaiting: Awaiting
        /// Fingerprint of the contract that whoever made the payload went by; 0 leaves it to the module's own.
        package let contract: UInt64
        package let durability: Durability

        package init(
            id: EffectID, topic: Topic, sequence: UInt64, caseName: String, payload: [UInt8], ancestry: [EffectID] = [],
            awaitDepth: Int = 0, remaining: Duration? = nil, memberVersion: UInt64, recipients: [ModuleID],
            isDetached: Bool = false, site: Site = Site(file: "", line: 0, function: ""), label: String = "",
            request: String = "", awaiting: Awaiting = .present, contract: UInt64 = 0, durability: Durability = .process
        ) {
            self.id = id
            self.topic = topic
            self.sequence = sequence
            self.caseName = caseName
            self.payload = payload
            self.ancestry = ancestry
            self.awaitDepth = awaitDepth
            self.remaining = remaining
            self.memberVersion = memberVersion
            self.recipients = recipients
            self.isDetached = isDetached
            self.site = site
            self.label = label
            self.request = request
            self.awaiting = awaiting
            self.contract = contract
            self.durability = durability
        }
    }

    /// A recipient of this process has handled an effect.
    package struct Settled: Sendable {
        package var id: EffectID
        package var topic: Topic
        /// Where in its stream.
        package var sequence: UInt64
        package var recipient: ModuleID
        package var result: ActionResult
        package var duration: Duration
        /// What an earlier run of the handler had said and this one did not say again.
        package var diverged: [EffectID]
        /// Of the effect.
        package var durability = Durability.process
        /// The recipient's life in this process: what a handler of a past one says later does not count. 0 when it does not matter.
        package var life: UInt64

        package init(
            id: EffectID, topic: Topic, sequence: UInt64, recipient: ModuleID, result: ActionResult, duration: Duration,
            diverged: [EffectID] = [], life: UInt64 = 0
        ) {
            self.life = life
            self.id = id
            self.topic = topic
            self.sequence = sequence
            self.recipient = recipient
            self.result = result
            self.duration = duration
            self.diverged = diverged
        }
    }

    /// The way to other modules: journal and bus. Absent in a node that stands alone.
    ///
    /// It hands accepted effects to all recipients, those of this process included, and settlements back, once they are journaled.
    package protocol Uplink: AnyObject, Sendable {
        /// Called under the exchange's lock, in the order of each stream; must only queue. ``go(last:)`` follows.
        func append(_ appended: Appended)
        /// Called with or without the lock, once for each delivery that a recipient here has settled; must only queue. ``go(last:)`` follows.
        func settled(_ settled: Settled)
        /// The same for several at once, with the states that changed for them: journaled together or not at all, in this order:
        /// states, settlements. The caller goes on as if they were journaled: an uplink that cannot append them now keeps them, in
        /// order, or ends the process.
        ///
        /// - Parameter life: of the module in this process; of a past one nothing is taken. 0 when it does not matter.
        func settled(_ batch: [Settled], capturing states: [CapturedState], of module: ModuleID, life: UInt64)
        /// What was queued is to be worked off; called without any lock.
        ///
        /// - Parameter last: the caller queues nothing more before this has had its effect, so that waiting for company is in vain.
        func go(last: Bool)
        /// Journals a value that `once` made; returns when it is appended. False when the journal took nothing.
        func keep(_ value: KeptValue, of module: ModuleID) async -> Bool
        /// Returns when all that the module has said so far survives the loss of power.
        func secure(_ module: ModuleID) async
        /// Journals that a suspect's handler is about to start; returns when that is appended.
        ///
        /// - Parameters:
        ///   - deaths: with this effect so far.
        ///   - wasAlone: no other handler of the module ran at the last of them.
        func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async
        /// Keeps an effect that is not handled; must only queue. Its settlement follows.
        func deadLetter(_ letter: DeadLetter, of module: ModuleID)
        /// A dispatch of a module of this process was not accepted; must only queue. ``go(last:)`` follows.
        ///
        /// - Parameters:
        ///   - count: how many such refusals are to be journaled with it; 0 when none is, because its site's last report is fresh.
        ///   - isShown: taps see it.
        func refused(_ refused: RefusedDispatch, standingFor count: UInt64, isShown: Bool)
        /// Whether ``admit(_:until:)`` would return at once, with nothing.
        func hasRoom(for topic: Topic) -> Bool
        /// Waits until there is room for one more effect of a source, which is what no handler says; nil when there is.
        ///
        /// - Returns: the refusal when there was none before the deadline. Handlers never wait here: two could hold each other.
        func admit(_ topic: Topic, until deadline: Duration) async -> ActionResult?
        /// Seals the secrets of payloads and results.
        var sealer: (any SecretSealing)? { get }
    }


    /// What runs a module's states and sagas for one effect.
    package protocol EffectHandling: Sendable {
        func handle(_ delivery: Delivery, in handler: Scope.Handler) async -> ActionResult
    }
}

extension Relux.Uplink {
    package func go(last: Bool) {}

    /// There is always room.
    package func hasRoom(for topic: Topic) -> Bool { true }
    package func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { nil }

    package func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID, life: UInt64) {
        for settled in batch { self.settled(settled) }
    }

    /// There is no journal: the value lasts as long as the process.
    package func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool { true }

    /// Nothing survives it.
    package func secure(_ module: ModuleID) async {}

    /// Counted and written as a line it is by then.
    package func refused(_ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool) {}

    /// Nothing is remembered.
    package func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async {}
    package func deadLetter(_ letter: Relux.DeadLetter, of module: ModuleID) {}
}
