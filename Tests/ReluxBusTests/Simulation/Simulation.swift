import Relux
@testable import ReluxBus
import ReluxPlugin

/// Hosts, a broker and a bad network on a virtual clock; everything follows from the seed.
struct Simulation {
    struct Options {
        var dropped = 15
        var doubled = 5
        var reordered = 10
        var crashes = true
        /// What is wrong with the protocol on purpose; the simulation has to find it.
        var sabotage: Sabotage?
    }
    enum Sabotage: String, CaseIterable {
        /// No FETCH arrives.
        case noRepair
        /// No HEAD arrives: nobody learns of a lost tail.
        case noHead
        /// Frames leave before the journal has them.
        case publishBeforeAppend
        /// A publisher says that it has taken settlements before its journal says so.
        case acknowledgeEarly
        /// A recipient's cursor is not written with its settlement.
        case forgetCursor
        /// A module that returns gives out again the numbers that it gave last.
        case reuseSequences
        /// A returning recipient under the same name gets what was meant for the one that was removed.
        case ignoreSince
        /// Nobody reads the journals of the dead.
        case noCourier
    }
    enum Event {
        case frame(to: Int, [UInt8])
        case subscription(at: Int, from: Int, [UInt8], isAdded: Bool)
        case picture(Int, ClusterPicture)
        case tick(Int)
        case settle(Int, ModuleID, Epoch, Delivery)
        case emit(ModuleID, cause: Cause?)
        case crash(HostID)
        case restart(HostID)
        case leave(ModuleID)
        case arrive(ModuleID)
        case join(Int, ModuleID)
        case cutOff(Int, ModuleID)
        /// The host stays dead, and its modules are removed.
        case bury(HostID)
        case question(Int, CourierQuestion)
        case answer(Int, CourierAnswer)
    }
    /// An effect that a handler of that life runs.
    struct Cause {
        /// From the root on.
        var path: [EffectID]
        var epoch: Epoch
    }
    struct Delivery {
        var id: EffectID
        var topic: Topic
        var sequence: UInt64
    }
    struct Member {
        var host: HostID
        var epoch: UInt64 = 0
        var since: UInt64 = 0
        var isMember = true
        var handles: [Topic]
        var emits: [Topic]
    }

    static let names: [ModuleID] = ["A", "B", "C", "D", "E"]
    static let topics: [Topic] = ["T.One", "T.Two", "T.Three"]

    let options: Options
    var random: SeededRandom
    var now = Duration.zero
    /// Latest first; what is due at the same time stays in the order in which it was scheduled.
    var queue: [(at: Duration, event: Event)] = []
    var hosts: [Int: SimulatedHost] = [:]
    var lives: [HostID: Int] = [:]
    var nextLife = 1
    var members: [ModuleID: Member] = [:]
    var version: UInt64 = 0
    /// What a host knows of its peers' subscriptions.
    var known: [Int: [Int: [[UInt8]]]] = [:]
    var lastOnLink: [[Int]: Duration] = [:]
    var partitions: Set<Set<HostID>> = []
    var disk = SimulatedDisk()
    /// Hosts that never come back.
    var gone: Set<HostID> = []
    /// By effect and recipient, in the order of what was appended.
    var accepted: [EffectID: [ModuleID]] = [:]
    /// Settlements that are on the disk: never handled again from then on.
    var settled: Set<String> = []
    /// Modules that were removed at least once: only for them may anything be lost.
    var removed: Set<ModuleID> = []
    var handledCount = 0
    var lastHandled: [String: UInt64] = [:]
    var faults: [String] = []
    var end: Duration = .seconds(4)

    init(seed: UInt64, options: Options = Options()) {
        self.options = options
        random = SeededRandom(seed: seed)
        let hostIDs = (1...3).map { HostID(rawValue: "h\($0)") }
        for (index, name) in Self.names.enumerated() {
            var handles = Self.topics.filter { _ in random.chance(of: 50) }
            if name == "A" { handles = Self.topics }
            members[name] = Member(
                host: hostIDs[index % 3], handles: handles, emits: Self.topics.filter { _ in random.chance(of: 60) })
        }
        for id in hostIDs { at(random.milliseconds(0...300), .restart(id)) }
        for _ in 0..<120 { at(random.milliseconds(0...4000), .emit(Self.names[random.below(5)], cause: nil)) }
        guard options.crashes else { return }
        for _ in 0..<random.below(3) {
            let id = hostIDs[random.below(3)]
            at(random.milliseconds(500...3500), .crash(id))
        }
        for _ in 0..<random.below(3) {
            let start = random.milliseconds(500...3000)
            let name = Self.names[random.below(5)]
            at(start, .leave(name))
        }
    }

    /// Runs until nothing is left to do; returns what broke the promises.
    mutating func run() -> [String] {
        var steps = 0
        while let (at, event) = queue.popLast() {
            now = at
            steps += 1
            guard now < .seconds(60), steps < 100_000 else {
                faults.append("not quiet after \(now) and \(steps) steps")
                break
            }
            handle(event)
        }
        for (id, recipients) in accepted.sorted(by: { $0.key < $1.key }) {
            for recipient in recipients where !settled.contains("\(id) \(recipient)") && !removed.contains(recipient) {
                faults.append("\(id) was never settled by \(recipient)")
            }
        }
        for name in Self.names {
            let ledger = disk.ledger(of: name)
            if let host = members[name]?.host, gone.contains(host) {
                for pending in unserved(ledger) { faults.append("\(name) is gone for good, and \(pending) was not served for it") }
                continue
            }
            if !isSettled(ledger) { faults.append("the journal of \(name) is not settled: \(ledger.summary)") }
            for (topic, books) in ledger.books {
                for (recipient, book) in books where book.open != 0 || (book.lost > 0 && !removed.contains(recipient)) {
                    faults.append("the books of \(name) on \(topic) for \(recipient) say \(book)")
                }
            }
            if !ledger.causes.isEmpty, !removed.contains(name) { faults.append("\(name) keeps causes \(ledger.causes.keys)") }
        }
        for host in hosts.values {
            if !host.core.unsettledBytes.isEmpty { faults.append("\(host.id) accounts \(host.core.unsettledBytes)") }
            if !host.core.isJoined { faults.append("\(host.id) has not joined: \(host.core.unansweredHosts)") }
        }
        return faults
    }

    /// But for what only the dead could take.
    private func isSettled(_ ledger: Ledger) -> Bool {
        ledger.streams.allSatisfy { topic, state in
            state.isSettled || topic.settledPublisher.flatMap { members[$0] }.map { gone.contains($0.host) } == true
        }
    }

    /// What the journals of the recipients do not have of it.
    private func unserved(_ ledger: Ledger) -> [String] {
        ledger.streams.sorted { $0.key < $1.key }.flatMap { topic, state in
            state.pending.flatMap { entry in
                entry.outstanding.filter { recipient in
                    let stream = StreamID(publisher: ledger.module, topic: topic)
                    return !removed.contains(recipient) && !disk.ledger(of: recipient).isDone(entry.sequence, of: stream)
                }.map { "\(topic) \(entry.sequence) for \($0)" }
            }
        }
    }

    mutating func at(_ time: Duration, _ event: Event) {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            if queue[middle].at > time { low = middle + 1 } else { high = middle }
        }
        queue.insert((time, event), at: low)
    }

    var isCalm: Bool { now > end }
}
