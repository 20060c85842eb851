package import ReluxWire

extension Relux {
    /// An effect that a module says, from its dispatch to the record of the journal: what is said, and, since it was accepted, where.
    ///
    /// Design notes. One reference: the dispatcher makes it, the exchange numbers it, the uplink queues it and makes the record of it.
    /// `@unchecked Sendable`: it is numbered once, under the exchange's lock, before anybody else sees it; nothing changes after that, which is why no
    /// access is checked at run time either: not even from other modules, who ask for what is stored here.
    package final class Emission: @unchecked Sendable {
        /// nil where it is coded: its bytes are all that anybody needs then.
        let effect: (any Relux.Effect)?
        package let topic: Topic
        let origin: ModuleID
        let handler: Scope.Handler?
        /// nil in a node that stands alone, where nothing is coded.
        let coded: Coded?
        /// How long its waiter waits, unless the handler that dispatches it has less left.
        @exclusivity(unchecked) var patience: Duration
        package let site: Site
        package let label: String
        /// The handler that dispatches it waits until it has settled.
        let isAwaited: Bool
        /// The only recipient whose answer is waited for; nil for all.
        let asked: ModuleID?
        /// Whether those that are known to be absent are waited for.
        package let awaiting: Awaiting
        package let beside: Beside
        /// Fingerprint of the contract that whoever made the payload went by; 0 leaves it to the module's own.
        package let contract: UInt64
        package let durability: Durability
        /// The origin's life in this process; 0 when it has only one.
        let life: UInt64
        /// Told the id under the exchange's lock, before anybody can settle it.
        let onAccepted: (@Sendable (EffectID) -> Void)?

        /// It goes into the journal with the effect, both or neither.
        package enum Beside: Sendable {
            case nothing
            /// The id under which a client has asked for it.
            case request(String)
            /// Where the schedule stands then whose tick it is.
            case place(SchedulePlace)
        }

        package struct Coded: Sendable {
            package var payload: [UInt8]
            package var caseName: String

            /// - Parameter payload: the effect as CBOR, which names its case.
            package init(_ payload: [UInt8]) { (self.payload, caseName) = (payload, CBOR.caseName(of: payload) ?? "") }

            package init(_ payload: [UInt8], caseName: String) { (self.payload, self.caseName) = (payload, caseName) }
        }

        // The acceptance sets these. Before it the position is 0, which no effect has.
        @exclusivity(unchecked) private var accepted: Accepted

        private struct Accepted {
            var id: EffectID
            var sequence: UInt64 = 0
            var ancestry: [EffectID] = []
            var awaitDepth = 0
            var remaining: Duration?
            var memberVersion: UInt64 = 0
            var recipients = Recipients()
            var isDetached = false
        }

        package var id: EffectID { accepted.id }
        package var sequence: UInt64 { accepted.sequence }
        /// From the root to the direct cause; empty for a root.
        package var ancestry: [EffectID] { accepted.ancestry }
        /// How many of the last ancestors wait for this effect.
        package var awaitDepth: Int { accepted.awaitDepth }
        /// Until nobody waits any more; nil when nobody does.
        package var remaining: Duration? { accepted.remaining }
        package var memberVersion: UInt64 { accepted.memberVersion }
        /// Those that have to settle it.
        package var recipients: Recipients { accepted.recipients }
        /// The handler that it comes from has returned already.
        package var isDetached: Bool { accepted.isDetached }

        init(
            effect: consuming (any Relux.Effect)?, topic: Topic, origin: ModuleID, handler: Scope.Handler? = nil, coded: Coded?, patience: Duration,
            site: Site, label: String, isAwaited: Bool = true, asked: ModuleID? = nil, awaiting: Awaiting = .present, beside: Beside = .nothing,
            contract: UInt64 = 0, durability: Durability = .process, life: UInt64 = 0, onAccepted: (@Sendable (EffectID) -> Void)? = nil
        ) {
            // One by one: a list of them would be copied first.
            self.effect = effect
            self.topic = topic
            self.origin = origin
            self.handler = handler
            self.coded = coded
            self.patience = patience
            self.site = site
            self.label = label
            self.isAwaited = isAwaited
            self.asked = asked
            self.awaiting = awaiting
            self.beside = beside
            self.contract = contract
            self.durability = durability
            self.life = life
            self.onAccepted = onAccepted
            accepted = Accepted(id: EffectID(module: origin, position: 0))
        }

        /// Once, under the exchange's lock, before anybody else sees it.
        func accept(
            as id: EffectID, sequence: UInt64, ancestry: [EffectID], awaitDepth: Int, remaining: Duration?, memberVersion: UInt64,
            recipients: Recipients, isDetached: Bool
        ) {
            accepted = Accepted(
                id: id, sequence: sequence, ancestry: ancestry, awaitDepth: awaitDepth, remaining: remaining, memberVersion: memberVersion,
                recipients: recipients, isDetached: isDetached)
        }

        /// An accepted emission, for a caller that gives out numbers itself.
        package convenience init(
            id: EffectID, topic: Topic, sequence: UInt64, caseName: String, payload: [UInt8], ancestry: [EffectID] = [], awaitDepth: Int = 0,
            remaining: Duration? = nil, memberVersion: UInt64, recipients: Recipients, isDetached: Bool = false,
            site: Site = Site(file: "", line: 0, function: ""), label: String = "", beside: Beside = .nothing, awaiting: Awaiting = .present,
            contract: UInt64 = 0, durability: Durability = .process
        ) {
            self.init(
                effect: nil, topic: topic, origin: id.module, coded: Coded(payload, caseName: caseName), patience: remaining ?? .zero, site: site,
                label: label, awaiting: awaiting, beside: beside, contract: contract, durability: durability)
            accept(
                as: id, sequence: sequence, ancestry: ancestry, awaitDepth: awaitDepth, remaining: remaining, memberVersion: memberVersion,
                recipients: recipients, isDetached: isDetached)
        }

        package var payload: [UInt8] { coded?.payload ?? [] }
        package var payloadByteCount: Int { coded?.payload.count ?? 0 }
        package var caseName: String { coded?.caseName ?? effect.flatMap { EnumReflection($0).caseName } ?? "" }
    }
}
