package import ReluxWire

extension Relux {
    /// One effect on its way to one recipient, and in the hands of its handler.
    ///
    /// Design notes. One reference: it is queued, taken, handed on, and kept by its handler's scope. `@unchecked Sendable`: whoever makes it says what
    /// there is to say before anybody else has it; the recipient's party changes it under the exchange's lock before the handler begins, and the
    /// handler's drain lets the content go when that has ended. So no access is checked at run time.
    package final class Delivery: @unchecked Sendable {
        package enum Content: Sendable {
            case effect(any Relux.Effect)
            /// As it came off the bus; decoded by the recipient's drain, not by the socket's thread.
            case encoded(ArraySlice<UInt8>, as: any Relux.Effect.Type)
            /// The handler has ended. Its scope may outlive it; the frame that the bytes came in does not.
            case handled
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

        package let id: EffectID
        package let topic: Topic
        /// The place in its stream.
        package let sequence: UInt64
        @exclusivity(unchecked) package private(set) var content: Content
        /// From the root to the direct cause; empty for a root.
        package let ancestry: [EffectID]
        /// How many of the last ancestors wait for this effect.
        package let awaitDepth: Int
        /// On the node's clock; nil when nobody waits.
        package let deadline: Duration?
        /// The durability that its publisher has promised.
        package let durability: Durability
        /// The recipient's life in this process that it is meant for: no other one takes it. 0 when it does not matter.
        package let life: UInt64
        /// For whoever has to explain a payload that cannot be read.
        package let contracts: Contracts
        /// Which run of the party handles it; 0 before it has begun.
        @exclusivity(unchecked) private(set) var run: UInt64 = 0
        /// It was being handled when the process died; set by the recipient's party.
        @exclusivity(unchecked) var isSuspect = false
        /// It is that, or runs beside one; set by the recipient's party.
        @exclusivity(unchecked) var isOnTrial = false

        package init(
            id: EffectID, topic: Topic, sequence: UInt64 = 0, content: consuming Content, ancestry: consuming [EffectID], awaitDepth: Int,
            deadline: Duration?, durability: Durability = .process, life: UInt64 = 0, contracts: Contracts = Contracts()
        ) {
            // One by one: a list of them would be copied first.
            self.id = id
            self.topic = topic
            self.sequence = sequence
            self.content = content
            self.ancestry = ancestry
            self.awaitDepth = awaitDepth
            self.deadline = deadline
            self.durability = durability
            self.life = life
            self.contracts = contracts
        }

        func begins(as run: UInt64) { self.run = run }

        func ends() { content = .handled }
    }

    /// A recipient of this process has handled an effect.
    package struct Settled: Sendable {
        package var id: EffectID
        package var topic: Topic
        /// The place in its stream.
        package var sequence: UInt64
        package var recipient: ModuleID
        package var result: ActionResult
        /// The result as it is said, see ``Uplink/coded(_:)``; nil for a plain success.
        package var coded: [UInt8]?
        package var duration: Duration
        /// Effects that an earlier run of the handler had said and this one did not say again.
        package var diverged: [EffectID]
        /// The durability of the effect.
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

    /// Runs a module's states and sagas for one effect.
    package protocol EffectHandling: Sendable {
        nonisolated(nonsending) func handle(_ delivery: Delivery, in handler: Scope.Handler) async -> ActionResult
    }
}
