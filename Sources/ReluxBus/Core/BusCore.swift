package import Relux
package import ReluxControl
package import ReluxLedger
import ReluxPlugin

/// The bus protocol of one process: what its modules have said and who still has to settle it, what they have heard and what
/// is missing. Pure: every step takes the time and returns actions.
///
/// Design notes. A stream is (publisher, topic); its records carry a sequence that only rises. What a module says and what it has settled is kept in
/// its ``Ledger``, which changes by records only: each goes into the module's journal with the next batch (``takeDraft()``), before any frame
/// of that batch is sent. Live frames may be dropped: the next record or a HEAD shows the gap, the recipient FETCHes what is
/// missing, the publisher serves it on the recipient's replay topic or says GONE. Modules of one process hear each other in the same way, without
/// frames. Settlements are records of the recipient's own stream `~settled.<publisher>` and are repaired in the same way; the publisher
/// writes ACKED and says in its HEAD how far it has. A module that dies keeps its place; what pends on it is lost when it is removed. A topic that
/// starts with `~` belongs to the protocol: `~settled.<publisher>`, `~replay.<recipient>`, `~fetch.<publisher>`, `~head.<publisher>`, `~snapshot.<type>`,
/// `~ready`.
package struct BusCore: Sendable {
    /// A module of this process.
    struct Local: Sendable {
        var epoch: Epoch
        var ledger: Ledger
        var handles: Set<Topic>
        var emits: Set<Topic>
        var provides: Set<Topic>
        var observes: Set<Topic>
        /// The module's life in this process; what another life of it settles or keeps is not taken. 0 when it has only one.
        var life: UInt64 = 0
        /// Fingerprints of the contracts that the module was built with, by topic that it may say something on; 0 or none where that is not known.
        var contracts: [Topic: UInt64] = [:]
        /// It is not opened yet: what it says waits.
        var isHeld = false
        /// Streams on which the module has said nothing begin after this sequence.
        var start: UInt64 { epoch.start }
    }

    struct InboundKey: Hashable, Comparable, Sendable {
        var recipient: ModuleID
        var publisher: ModuleID
        var topic: Topic
        var stream: StreamID { StreamID(publisher: publisher, topic: topic) }

        private var nameHash: UInt64 { NameHash.mixed(stream.nameHash, recipient.nameHash) }
        func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }
        func _rawHashValue(seed: Int) -> Int { NameHash.seeded(nameHash, seed) }

        static func < (left: Self, right: Self) -> Bool {
            (left.recipient, left.publisher, left.topic) < (right.recipient, right.publisher, right.topic)
        }
    }

    package let host: HostID
    package var counters = BusCounters()
    var locals: [ModuleID: Local] = [:]
    /// Locals that hear nothing new; what they have said is served until it is settled.
    var leaving: Set<ModuleID> = []
    /// Modules that this process may serve soon: it connects to their publishers and their listeners.
    var standbys: [ModuleID: ModuleDeclaration] = [:]
    /// Refused dispatches of modules that have no journal here now.
    var late = LateRefusals()
    var early = EarlyWords()

    var membership = Membership()
    var peers: PeerTable
    var routes = Routes()
    var lives = PublisherLives()
    var clock = HeadClock()

    var inbound = InboundBook()
    var questions = HeadQuestions()
    var snapshots = SnapshotBook()
    /// Transient effects of modules here that somebody has not answered.
    var transients = TransientBook()

    /// Records that the ledgers have taken; the journals get them with the next batch.
    var draft = JournalDraft()
    var machine = MachineLane()
    var backlog: Backlog
    var last = LastSaid()

    /// Modules elsewhere that have too much unsettled: sources have to wait.
    package var overloaded: Set<ModuleID> { backlog.overloaded }

    /// Bytes of a label or of a part of a call site; the rest is cut.
    static let textByteLimit = 1024
    /// The bytes that a record costs besides its payload, for accounting.
    package static let recordOverhead = Ledger.recordOverhead

    /// - Parameter unsettledByteLimit: how much may be unsettled at one module elsewhere before sources have to wait.
    package init(host: HostID, unsettledByteLimit: Int = 1 << 30, makeMarker: @escaping @Sendable () -> [UInt8]) {
        self.host = host
        backlog = Backlog(byteLimit: unsettledByteLimit)
        peers = PeerTable(makeMarker: makeMarker)
    }

    /// A task for the driver; tasks are done in the order in which they are returned.
    package enum Action: Sendable {
        // Large ones are one reference: most actions are a record that is published, and each has the room of the largest.
        /// Publish one record that no journal has: to the mesh and to the taps, or to the taps only. What a journal has leaves when it was
        /// written; see ``SaidRun/reach``.
        case publish(StreamID, Epoch, WireRecord, tapOnly: Bool)
        /// Several records of one stream in one frame, for one recipient's replay topic.
        indirect case replay(topic: Topic, publisher: ModuleID, Epoch, [WireRecord])
        /// Answer a marker.
        indirect case ready(prefix: [UInt8], from: ModuleID, ReadyRecord)
        /// Ask the courier; the answer comes in through ``BusCore/receive(_:now:)-(CourierAnswer,_)``, or never.
        indirect case askCourier(CourierQuestion)
        /// `life`: of the recipient in this process; see ``BusCore/Local/life``.
        case deliver(EffectRecord, publisher: ModuleID, topic: Topic, to: ModuleID, life: UInt64)
        /// The recipient is through with effects of the publisher, a module here.
        case settle(SettledRecord, of: ModuleID, by: ModuleID)
        /// A transient effect is lost to that recipient: whoever waits is told, and no book has it. `why` the recipient is absent; nil when that is not known.
        case missed(EffectID, by: ModuleID, absent: String?)
        /// There was no room to keep the effect: those recipients will never get it.
        case overloaded(Relux.Emission)
        /// A life of a module elsewhere is over. Those effects pend on it and wait for its next life.
        case interrupted(ModuleID, [EffectID])
        /// The module has left and nobody needs its journal from this process any more.
        case left(ModuleID)
        /// Another host gets ready to take the module over.
        case expectHandOver(ModuleID)
        /// The module's life here is over for a successor, and this is what its journal says.
        indirect case handedOver(ModuleID, Ledger)
        indirect case snapshot(Topic, payload: [UInt8], stale: Bool)
        case connect(String)
        case disconnect(String)
        case subscribe([UInt8])
        case unsubscribe([UInt8])
        /// Every host that must be heard has answered; see ``BusCore/isJoined``.
        case joined
    }

    // MARK: Reserved topics

    static func head(of publisher: ModuleID) -> Topic { .reserved("head", of: publisher) }
    static func fetch(from publisher: ModuleID) -> Topic { .reserved("fetch", of: publisher) }
    static func replay(for recipient: ModuleID) -> Topic { .reserved("replay", of: recipient) }
    /// The name under which a host answers markers; it may have no module yet.
    static func speaker(of host: HostID) -> ModuleID { ModuleID(rawValue: host.rawValue) ?? "unnamed" }

    /// 0xFF sorts behind every topic, so that it comes last also where libzmq sends subscriptions again in byte order.
    static let markerPrefix: [UInt8] = [0xFF] + Array("ready.".utf8)
}
