package import ReluxWire

extension Relux {
    /// One effect on its way to one recipient.
    package struct Delivery: Sendable {
        package enum Content: Sendable {
            case effect(any Relux.Effect)
            /// As it came off the bus; decoded by the recipient's drain, not by the socket's thread.
            case encoded([UInt8], as: any Relux.Effect.Type)
        }
        package var id: EffectID
        package var topic: Topic
        package var content: Content
        /// From the root to the direct cause; empty for a root.
        package var ancestry: [EffectID]
        /// How many of the last ancestors wait for this effect.
        package var awaitDepth: Int
        /// On the node's clock; nil when nobody waits.
        package var deadline: Duration?

        package init(
            id: EffectID, topic: Topic, content: Content, ancestry: [EffectID], awaitDepth: Int, deadline: Duration?
        ) {
            self.id = id
            self.topic = topic
            self.content = content
            self.ancestry = ancestry
            self.awaitDepth = awaitDepth
            self.deadline = deadline
        }
    }

    /// What a module says, ready to be journaled and published.
    package struct Appended: Sendable {
        package var id: EffectID
        package var topic: Topic
        package var sequence: UInt64
        package var caseName: String
        package var payload: [UInt8]
        package var ancestry: [EffectID]
        package var awaitDepth: Int
        package var remaining: Duration?
        package var memberVersion: UInt64
        /// Recipients that are not in this process.
        package var remote: [ModuleID]
        package var local: [ModuleID]
        package var site: Site
        package var label: String

        package init(
            id: EffectID, topic: Topic, sequence: UInt64, caseName: String, payload: [UInt8], ancestry: [EffectID] = [],
            awaitDepth: Int = 0, remaining: Duration? = nil, memberVersion: UInt64, remote: [ModuleID],
            local: [ModuleID] = [], site: Site = Site(file: "", line: 0, function: ""), label: String = ""
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
            self.remote = remote
            self.local = local
            self.site = site
            self.label = label
        }
    }

    /// A recipient of this process has handled an effect.
    package struct Settled: Sendable {
        package var id: EffectID
        package var topic: Topic
        package var recipient: ModuleID
        package var result: ActionResult
        package var duration: Duration
        /// True when the publisher is in this process too and knows already.
        package var isLocal: Bool
    }

    /// The way out of the process: journal and bus. Absent in a node that stands alone.
    package protocol Uplink: Sendable {
        /// Called under the exchange's lock, in the order of each stream; must only queue.
        func append(_ appended: Appended)
        /// Called without the lock, once for each delivery that a recipient here has settled.
        func settled(_ settled: Settled)
        /// The same for several at once, with the states that changed for them: journaled together or not at all, in this order:
        /// states, settlements.
        func settled(_ batch: [Settled], capturing states: [CapturedState], of module: ModuleID)
        /// Journals a value that `once` made; returns when it is appended. False when the journal took nothing.
        func keep(_ value: KeptValue, of module: ModuleID) async -> Bool
        /// Called under the exchange's lock, behind all that was accepted before: what of it waits for the recipient is lost.
        func lost(_ recipient: ModuleID)
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
    /// There is always room.
    package func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { nil }

    package func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID) {
        for settled in batch { self.settled(settled) }
    }

    /// There is no journal: the value lasts as long as the process.
    package func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool { true }

    /// Keeps nothing for a recipient.
    package func lost(_ recipient: ModuleID) {}
}
