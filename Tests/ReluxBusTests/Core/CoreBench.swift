import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import ReluxPlugin
import SimulationKit

/// One core of host `here` under test; all others are played by the test. Every step's actions are its result.
struct CoreBench {
    typealias Actions = [BusCore.Action]
    static let work: Topic = "Work"
    /// The number before the first one in streams of the first life, unless it is told otherwise.
    static let start = Epoch(1).start

    var core: BusCore
    var now = Duration.zero
    /// Whether the courier says at once that no former member has left anything for a module that comes.
    var hasCourier = true

    init() {
        core = BusCore(host: "here") { (0..<ReadyRecord.markerByteCount).map { _ in UInt8.random(in: 1...254) } }
    }

    /// `Here` handles and emits Work on host `here`; `There` does on host `there`.
    static func paired() -> CoreBench {
        var bench = CoreBench()
        _ = bench.add("Here")
        _ = bench.picture(1, [member("Here", on: "here"), member("There", on: "there")])
        return bench
    }

    static func member(
        _ id: ModuleID, on host: HostID?, epoch: UInt64 = 1, since: UInt64 = 0, provides: [Topic] = []
    ) -> ClusterPicture.Member {
        .init(
            module: id, epoch: Epoch(epoch), since: since, handles: [work], emits: [work], provides: provides, observes: [],
            host: host)
    }

    mutating func add(
        _ id: ModuleID, observes: [Topic] = [], provides: [Topic] = [], epoch: UInt64 = 1, ledger: Ledger? = nil
    ) -> Actions {
        defer {
            if hasCourier, let question = core.questions.unanswered[nil]?.question {
                _ = core.receive(CourierAnswer(to: question, frames: []), now: now)
            }
        }
        return core.add(
            ModuleDeclaration(
                id: id, version: "1.0.0", kind: .domain, handles: [Self.work], emits: [Self.work], provides: provides,
                observes: observes), epoch: Epoch(epoch), ledger: ledger, now: now)
    }

    mutating func picture(_ version: UInt64, _ members: [ClusterPicture.Member]) -> Actions {
        let hosts = Set(members.compactMap(\.host)).sorted().map { ClusterPicture.Host(id: $0, endpoint: $0.rawValue, tapEndpoint: "") }
        return core.apply(ClusterPicture(version: version, members: members, hosts: hosts), now: now)
    }

    // MARK: What `Here` says

    mutating func emit(_ sequence: UInt64, to recipients: [ModuleID] = ["There"], payload: [UInt8] = [1]) -> Actions {
        said { core, now in
            core.append(
                [
                    Relux.Emission(
                        id: EffectID(module: "Here", position: sequence), topic: Self.work, sequence: sequence, caseName: "a",
                        payload: payload, memberVersion: 1, recipients: Recipients(recipients))
                ], wallTime: 0, now: now)
        }
    }

    /// A step's actions, behind the publications that follow from what it leaves to the journal.
    mutating func said(_ step: (inout BusCore, Duration) -> Actions) -> Actions {
        var earlier = JournalDraft()
        swap(&earlier, &core.draft)
        let actions = step(&core, now)
        let said = core.takeSaid()
        core.draft = earlier
        for entry in said { core.draft.append(entry) }
        return said.filter { $0.reach != .nobody }.map { .publish(StreamID(publisher: $0.module, topic: $0.topic), $0.epoch, $0.record, tapOnly: $0.reach == .taps) } + actions
    }

    /// Effects' positions are their sequences.
    mutating func settle(_ position: UInt64, of publisher: ModuleID = "There", by recipient: ModuleID = "Here") -> Actions {
        let settled = Relux.Settled(
            id: EffectID(module: publisher, position: position), topic: Self.work, sequence: position, recipient: recipient,
            result: .success, duration: .zero)
        return said { core, now in core.settled([settled], of: recipient, now: now) }
    }

    /// There's settlement of an effect of Here; its own streams begin where those of a first life do.
    static func settled(_ settlement: UInt64, position: UInt64) -> WireRecord {
        .settled(
            SettledRecord(sequence: start + settlement, topic: work, effects: EffectRuns(position: position, sequence: position)))
    }

    /// The core's next tick, if it wants one.
    mutating func tick() -> Actions {
        guard let at = core.nextTick else { return [] }
        now = max(now, at)
        return core.tick(now: now)
    }

    // MARK: What comes from `There`

    mutating func hear(
        _ records: [WireRecord], on topic: Topic = work, from publisher: ModuleID = "There", epoch: UInt64 = 1
    ) throws -> Actions {
        let frame = Frame(topic: topic, publisher: publisher, epoch: Epoch(epoch), records: records)
        return core.receive(try frame.encoded(), now: now)
    }

    /// Effects of There's stream, whose positions are their sequences.
    mutating func hear(effects: [UInt64], version: UInt64 = 1, epoch: UInt64 = 1) throws -> Actions {
        try hear(effects.map { Self.effect($0, version: version) }, epoch: epoch)
    }

    static func effect(_ sequence: UInt64, version: UInt64 = 1) -> WireRecord {
        .effect(EffectRecord(position: sequence, sequence: sequence, caseName: "a", memberVersion: version, payload: [1]))
    }

    mutating func replay(_ records: [WireRecord], head: UInt64, epoch: UInt64 = 1) throws -> Actions {
        try hear(
            [.stream(StreamRecord(topic: Self.work))] + records
                + [.head(HeadRecord(streams: [.init(topic: Self.work, low: 1, head: head)]))], on: "~replay.Here", epoch: epoch)
    }

    mutating func fetch(_ ranges: [ClosedRange<UInt64>], by requester: ModuleID = "There", of topic: Topic = work) throws -> Actions {
        try hear([.fetch(FetchRecord(requester: requester, topic: topic, ranges: ranges))], on: "~fetch.Here")
    }

    /// There's host hears us now.
    mutating func marked(by host: String = "there") -> Actions {
        core.subscribed(
            BusCore.markerPrefix + Array(repeating: 1, count: ReadyRecord.markerByteCount) + Array(host.utf8), now: now)
    }

    /// There's host answers our marker, with the heads of its streams; it names a module that has said nothing, too.
    mutating func answer(
        _ streams: [ReadyRecord.Stream] = [.init(publisher: "There", epoch: Epoch(1), topic: "~head.There", head: 0, starts: [])],
        from host: HostID = "there"
    ) throws -> Actions {
        guard let marker = core.peers[host]?.marker else { return [] }
        let frame = Frame(
            topic: "~ready", publisher: BusCore.speaker(of: host), epoch: Epoch(0),
            records: [.ready(ReadyRecord(marker: marker[...], streams: streams))])
        return core.receive(core.subscription(for: marker) + (try frame.encoded()), now: now)
    }

    static func head(_ head: UInt64, starts: [ReadyRecord.Start] = [], epoch: UInt64 = 1) -> ReadyRecord.Stream {
        .init(publisher: "There", epoch: Epoch(epoch), topic: work, head: head, starts: starts)
    }
}

extension BusCore {
    /// The module has settled these, with their results coded; the actions that follow.
    mutating func settled(
        _ batch: [Relux.Settled], capturing states: [Relux.CapturedState] = [], of module: ModuleID, life: UInt64 = 0, now: Duration
    ) -> [Action] {
        var actions: [Action] = []
        let coded = batch.map { settled in
            var settled = settled
            settled.coded = ResultCoding.encode(settled.result, userInfo: [:])
            return settled
        }
        settled([Settling](coded), capturing: states, of: module, life: life, now: now, &actions)
        return actions
    }
}

extension [BusCore.Action] {
    /// Sequences of the effects that are handed to `Here`.
    var delivered: [UInt64] {
        compactMap { if case .deliver(let effect, _, _, "Here", _) = $0 { effect.sequence } else { nil } }
    }
    var published: [WireRecord] {
        compactMap { if case .publish(_, _, let record, false) = $0 { record } else { nil } }
    }
    var fetches: [[ClosedRange<UInt64>]] {
        published.compactMap { if case .fetch(let fetch) = $0 { fetch.ranges } else { nil } }
    }
    var heads: [HeadRecord] { published.compactMap { if case .head(let head) = $0 { head } else { nil } } }
    var left: [ModuleID] { compactMap { if case .left(let module) = $0 { module } else { nil } } }
    var members: [MemberRecord] { published.compactMap { if case .member(let member) = $0 { member } else { nil } } }
    var replayed: [WireRecord]? {
        for case .replay(_, _, _, let records) in self { return records }
        return nil
    }
    /// The recipients that will never settle something of ours.
    var lost: [ModuleID] {
        compactMap {
            switch $0 {
            case .settle(let record, _, let recipient) where record.status == .lost: recipient
            case .missed(_, let recipient, _): recipient
            default: nil
            }
        }
    }
    var interrupted: [ModuleID: [UInt64]] {
        reduce(into: [:]) { if case .interrupted(let module, let effects) = $1 { $0[module] = effects.map(\.position) } }
    }
    var ready: ReadyRecord? {
        for case .ready(_, _, let record) in self { return record }
        return nil
    }
    /// Markers that are subscribed to.
    var markers: [[UInt8]] {
        compactMap { if case .subscribe(let prefix) = $0, prefix.first == 0xFF { prefix } else { nil } }
    }
    var connected: [String] { compactMap { if case .connect(let endpoint) = $0 { endpoint } else { nil } } }
    var disconnected: [String] { compactMap { if case .disconnect(let endpoint) = $0 { endpoint } else { nil } } }
    var staleSnapshots: Int {
        reduce(0) { if case .snapshot(_, _, stale: true) = $1 { $0 + 1 } else { $0 } }
    }
    var joins: Int { reduce(0) { if case .joined = $1 { $0 + 1 } else { $0 } } }
}
