import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import ReluxTestKit
@testable import ReluxRegistry

/// Hosts, a broker, a supervisor, their disks and a bad network on a virtual clock; everything follows from the seed.
package struct Simulation {
    package struct Options: Sendable {
        package var dropped = 15
        package var doubled = 5
        package var reordered = 10
        package var crashes = true
        /// Full disks, failing ones, and losses of power.
        var diskFaults = true
        /// Older copies of journals come back.
        var copies = true
        package var freezes = true
        package var partitions = true
        package var handOvers = true
        /// The deliberate fault of the protocol.
        package var sabotage: Sabotage?

        package init(sabotage: Sabotage? = nil) { self.sabotage = sabotage }

        /// Nothing goes wrong.
        package static var calm: Self {
            var options = Self()
            (options.dropped, options.doubled, options.reordered) = (0, 0, 0)
            (options.crashes, options.diskFaults, options.copies, options.freezes, options.partitions) = (false, false, false, false, false)
            return options
        }
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
        var durability: Relux.Durability
    }
    /// A module as it is built, and its membership as the registry's file has it.
    struct Member {
        var handles: [Topic]
        var emits: [Topic]
        /// Nothing that an earlier picture's members accepted is meant for it.
        var since: UInt64 = 0
        /// The same of each membership so far: an instance that comes under an older picture, while orders wait for a full disk, is of an earlier one.
        var memberships: [UInt64] = []
        var isMember = false
        /// So often somebody has asked for its removal, and it was not removed for that.
        var farewells = 0
    }
    struct Pair: Hashable {
        var effect: EffectID
        var recipient: ModuleID

        /// The effects of one record.
        static func all(of settled: SettledRecord, publisher: ModuleID, recipient: ModuleID) -> [Pair] {
            settled.effects.map { Pair(effect: EffectID(module: publisher, position: $0.position), recipient: recipient) }
        }
    }
    struct Accepted {
        var recipients: [ModuleID]
        /// The picture by which they were chosen.
        var memberVersion: UInt64
    }
    struct OrderKey: Hashable {
        var stream: StreamID
        var recipient: ModuleID
        var epoch: Epoch
    }
    struct Link: Hashable {
        var from: Int
        var to: Int
    }

    static let names: [ModuleID] = ["A", "B", "C", "D", "E"]
    static let topics: [Topic] = ["T.One", "T.Two", "T.Three"]
    /// The topic whose effects survive the loss of power.
    static let machineTopic: Topic = "T.Three"
    static let hostIDs = (1...3).map { HostID(rawValue: "h\($0)") }
    /// Nothing goes wrong any more behind this.
    static let end = Duration.seconds(4)

    let options: Options
    var random: SeededRandom
    var now = Duration.zero
    /// Latest first; what is due at the same time stays in the order in which it was scheduled.
    var queue: [(at: Duration, event: Event)] = []
    /// How many of the queue do not go on for ever.
    private(set) var busy = 0
    var hosts: [Int: SimulatedHost] = [:]
    /// The latest process of each host.
    var lives: [HostID: Int] = [:]
    var nextLife = 0
    var members: [ModuleID: Member] = [:]
    var plugins: [String: PluginFacts] = [:]
    /// 0 while there is no process; before it has read its file there is no broker.
    var brokerLife = 0
    var broker: SimulatedBroker?
    var registryFile: RegistrySnapshot?
    var supervisor: SimulatedSupervisor?
    var requests = 0
    /// Plugins that a host has loaded once.
    var loaded: Set<String> = []
    /// Where each module's journal was opened last.
    var places: [ModuleID: HostID] = [:]
    /// Modules that are not loaded again.
    var givenUp: Set<ModuleID> = []
    /// The subscriptions of its peers that a host knows.
    var known: [Int: [Int: [[UInt8]]]] = [:]
    var lastOnLink: [Link: Duration] = [:]
    var disk: SimulatedDisk
    /// Positions that the registry's file knows and an older copy of the journal lacks: the journal has to name them.
    var owed: [ModuleID: ClosedRange<UInt64>] = [:]
    /// Lives of which a copy that came back lacks something.
    var cutLives: [ModuleID: Set<Epoch>] = [:]

    /// The broker and the supervisor die amid removals and hand-overs; other runs have these one by one, and so more of each.
    var isStorm = false
    /// In this run the broker and the supervisor may die.
    var brokerDies = false

    /// The host whose process is not started again when it ends, if there is one in this run; what leaves it takes that along.
    var temporary: HostID?

    /// Processes whose supervisor has died: nobody need know of them.
    var orphans: Set<Int> = []

    // The parts that are out of order, and until when.
    var frozen: [Int: Duration] = [:]
    var partitions: [Set<HostID>: Duration] = [:]
    var fullDisks: [HostID: Duration] = [:]
    var failingDisks: Set<HostID> = []
    var registryDiskFullUntil = Duration.zero
    var hasLostPower = false
    /// Effects that are ticks of their module's schedule.
    var ticks: [EffectID: Int64] = [:]
    /// The effect of each tick that is in a journal.
    var dues: [ModuleID: [Int64: EffectID]] = [:]
    static let schedule = "tick"
    /// Modules of whose journal an older copy came back, and what it did not have.
    var putBackNames: Set<ModuleID> = []
    var takenBack: [TakenBack] = []
    /// Numbers of streams that a journal has given out and some copy of it did not have.
    var everLost: [StreamID: Set<UInt64>] = [:]
    /// The contents that the registry's file has had, in order.
    var registryCopies: [RegistrySnapshot] = []
    /// The last epoch in the journal of the broker's own node, of which nobody puts a copy back.
    var nodeEpoch: [ModuleID: Epoch] = [:]

    /// The handlers of each topic, for each picture that was let out. An older registry may have given its number to another one before.
    var pictured: [UInt64: [[Topic: [ModuleID]]]] = [:]
    /// By effect.
    var accepted: [EffectID: Accepted] = [:]
    /// Settlements that are on the disk: never handled again from then on.
    var settled: Set<Pair> = []
    /// Those, and those that a loss of power took.
    var everSettled: Set<Pair> = []
    // Effects and settlements that a process without a supervisor has written for a module whose membership had been ended meanwhile.
    var straySaid: Set<EffectID> = []
    var straySettled: Set<Pair> = []
    /// The effects that a publisher's journal has had as settled; the power may have taken it there.
    var everAcked: Set<Pair> = []
    /// The effects that somebody has heard, or may have, and no loss of power may take.
    var safe: Set<EffectID> = []
    /// The same of settlements.
    var safelySettled: Set<Pair> = []
    /// Modules that were removed at least once: only for them may anything be lost.
    var removed: Set<ModuleID> = []
    var lastHandled: [OrderKey: UInt64] = [:]
    package var tally = Tally()
    var faults: [String] = []
    /// The digest of all that happened, in order: the same for the same seed in any process.
    package private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    package var trace: ((String) -> Void)?

    package init(seed: UInt64, options: Options = Options()) {
        self.options = options
        random = SeededRandom(seed: seed)
        disk = SimulatedDisk(sabotage: options.sabotage)
        plan()
    }

    /// Runs until only what goes on for ever is left; returns what broke the promises.
    package mutating func run() -> [String] {
        while step() {}
        judge()
        return faults
    }

    /// One event; false when nothing is left to do, or it never ends.
    package mutating func step() -> Bool {
        if busy == 0, isCalm, broker?.isAtRest == true, isEverybodyKnown, Self.names.allSatisfy({ givenUp.contains($0) || broker?.registry.modules[$0] != nil }) {
            return false
        }
        guard let (at, event) = queue.popLast() else { return false }
        if !event.isIdle { busy -= 1 }
        now = at
        tally.steps += 1
        guard now < .seconds(90), tally.steps < 400_000 else {
            faults.append("not quiet after \(now) and \(tally.steps) steps: \(restless)")
            return false
        }
        note(event)
        handle(event)
        return true
    }

    /// A host whose line stands, and that the broker has not heard of, changes something with its next pong: it is asked for its name then.
    private var isEverybodyKnown: Bool {
        hosts.values.allSatisfy { $0.machine.isEnding || $0.line.broker == nil || broker?.registry.connections[Self.connection(of: $0.life)] != nil }
    }

    private mutating func note(_ event: Event) {
        trace?("\(now) \(event.text)")
        mix(UInt64(truncatingIfNeeded: now.components.attoseconds))
        mix(event.mark)
    }

    private mutating func mix(_ word: UInt64) { digest = (digest ^ word) &* 0x100_0000_01b3 }

    mutating func at(_ time: Duration, _ event: Event) {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            if queue[middle].at > time { low = middle + 1 } else { high = middle }
        }
        queue.insert((time, event), at: low)
        if !event.isIdle { busy += 1 }
    }

    var isCalm: Bool { now > Self.end }

    mutating func later(_ range: ClosedRange<Int>) -> Duration { now + random.milliseconds(range) }
}

extension Simulation {
    /// The counts of a run.
    package struct Tally: Sendable, Hashable {
        package var steps = 0
        package var handled = 0
        package var deaths = 0
        package var powerLosses = 0
        package var putBack = 0
        package var freezes = 0
        package var handOvers = 0
        package var resultsLost = 0
        /// Turns of a broker in which somebody was known to be absent.
        package var absences = 0

        package init() {}

        package static func += (left: inout Self, right: Self) {
            left.steps += right.steps
            left.handled += right.handled
            left.deaths += right.deaths
            left.powerLosses += right.powerLosses
            left.putBack += right.putBack
            left.freezes += right.freezes
            left.handOvers += right.handOvers
            left.resultsLost += right.resultsLost
            left.absences += right.absences
        }
    }
}
