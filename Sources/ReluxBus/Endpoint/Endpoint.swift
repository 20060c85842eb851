package import Relux
import ReluxControl
package import ReluxLedger

/// All that one process decides on the bus, pure: the protocol, what is left to be written, the batch that found no room, what waits for a disk.
///
/// Design notes. What modules say and settle comes in a turn's lot (``Intake``), all else at once and in order: what is heard, who comes and goes.
/// Consequences of a record wait until it is in its journal: a turn takes all of them as one ``Batch``, whoever drives this writes it down, and tells
/// ``written(_:)`` or ``refused(_:by:)``. What is heard is not written first, so what follows from it is returned at once. Connections and subscriptions
/// are told to the transport before anything else happens (``takeRoutes()``), because their order matters.
package struct Endpoint: Sendable {
    package var core: BusCore
    /// Runs and actions that wait for a disk, and those that have waited long enough.
    private var withheld = Withheld()
    /// A batch that the journal had no room for; nothing goes before it.
    private var stalled: Batch?
    /// Why it waits, for people.
    private(set) var trouble: ClusterNote?
    /// The next batch but for its records, which are the core's draft.
    private var next = Batch()
    private var routes: [BusCore.Action] = []
    /// Losses of transient effects whose frames leave now; their waiters are told with the next turn.
    private var losses: [BusCore.Action] = []
    /// Waiters for the end of a module's journal.
    var leavers: [ModuleID: UnsafeContinuation<Void, Never>] = [:]

    package init(_ core: BusCore) { self.core = core }

    // MARK: What happens

    /// Modules of this process have said and settled something; it is written with the next turn.
    mutating func take(_ contents: Intake.Contents, now: Duration, readWallTime: () -> UInt64) {
        if !contents.said.isEmpty {
            let wallTime = readWallTime()
            for emission in contents.said { core.append(emission, wallTime: wallTime, now: now, &next.actions) }
        }
        for note in contents.notes {
            switch note {
            case .refused(let dispatch, let count, let isShown, let wallTime):
                core.refused(dispatch, standingFor: count, isShown: isShown, wallTime: wallTime, &next.actions)
            case .record(let record, let topic, let module, let life, let waiter):
                // A record of an earlier life is dropped, and so is one of a module that has left.
                let isWritten = core.isCurrent(life, of: module) && core.write(record, on: topic, of: module)
                if let waiter { next.kept.append(.init(waiter: waiter, isWritten: isWritten)) }
            }
        }
        for settled in contents.settled {
            core.settled(settled.batch, capturing: settled.states, of: settled.module, life: settled.life, now: now, &next.actions)
        }
    }

    /// Anything else that goes into the journals before it has an effect.
    package mutating func on(_ event: (inout BusCore, inout Batch) -> Void) {
        let first = next.actions.count
        event(&core, &next)
        routes += Self.removeRoutes(from: &next.actions, behind: first)
    }

    /// Something that is not written first: a frame came in, or the transport says something.
    ///
    /// - Returns: what follows now, in order; whether frames of it leave with the next turn; whether a turn is due sooner than before.
    package mutating func hear(_ event: (inout BusCore) -> [BusCore.Action]) -> (actions: [BusCore.Action], isSaid: Bool, isSooner: Bool) {
        let lastTick = core.nextTick
        var actions = event(&core)
        let isSooner = core.nextTick.map { next in lastTick.map { next < $0 } ?? true } ?? false
        // Nearly all are deliveries or settlements, of which a frame has many: one look at each.
        var (hasRoutes, isSaid) = (false, false)
        for index in actions.indices {
            if actions[index].isRoute { hasRoutes = true } else if actions[index].isSaid { isSaid = true }
        }
        if hasRoutes { routes += Self.removeRoutes(from: &actions) }
        if isSaid {
            next.actions += actions.lazy.filter(\.isSaid)
            actions.removeAll(where: \.isSaid)
        }
        return (actions, isSaid, isSooner)
    }

    private static func removeRoutes(from actions: inout [BusCore.Action], behind first: Int = 0) -> [BusCore.Action] {
        let new = actions[first...]
        guard new.contains(where: \.isRoute) else { return [] }
        let routes = new.filter(\.isRoute)
        actions.replaceSubrange(first..., with: new.filter { !$0.isRoute })
        return routes
    }

    var hasRoutes: Bool { !routes.isEmpty }

    /// Connections and subscriptions for the transport, in order.
    package mutating func takeRoutes() -> [BusCore.Action] {
        defer { routes = [] }
        return routes
    }

    // MARK: Turns

    /// A turn would need no disk, but for what the next one takes.
    var mayTurnQuickly: Bool { stalled == nil && core.machine.modules.isEmpty && leavers.isEmpty }
    package var isStalled: Bool { stalled != nil }

    /// Nothing is due and nothing waits.
    private func isAtRest(_ now: Duration) -> Bool {
        next.actions.isEmpty && losses.isEmpty && withheld.isEmpty && !core.hasUnwritten && core.machine.pressing.isEmpty && core.nextTick.map { $0 > now } ?? true
    }

    /// The next batch: records to write, and actions that may happen only then. A batch that found no room comes again before all else. nil when there is
    /// nothing to do.
    ///
    /// - Parameters:
    ///   - isIdle: nothing has happened since the last turn.
    ///   - journal: whose modules want checkpoints.
    package mutating func turn(isIdle: Bool, now: Duration, journal: (any Journaling)?) -> Batch? {
        if let batch = stalled {
            stalled = nil
            return batch
        }
        // Every second turn finds nothing.
        if isIdle, isAtRest(now), journal?.isQuick ?? true { return nil }
        let first = next.actions.count
        next.actions += core.tick(now: now)
        routes += Self.removeRoutes(from: &next.actions, behind: first)
        var batch = Batch()
        swap(&batch, &next)
        batch.isIdle = isIdle
        batch.draft = core.takeDraft()
        batch.pressing = core.takePressing()
        batch.nextPull = core.nextTick.map { max(.zero, $0 - now) }
        if let journal { batch.takeLedgers(of: core, journal) }
        return batch
    }

    /// The batch is in its journals.
    ///
    /// - Returns: what may happen now, in order, and whose journals a sync has to be started for.
    package mutating func written(_ batch: consuming Batch) -> (entries: LetOut, syncs: [ModuleID]) {
        let (entries, syncs) = admitted(batch)
        return (behindFrames(entries), syncs)
    }

    /// The next turn is due at once.
    var hasLosses: Bool { !losses.isEmpty }

    private mutating func behindFrames(_ entries: consuming LetOut) -> LetOut {
        let told = losses
        losses = entries.takeLosses()
        if !told.isEmpty { entries.actions = told + entries.actions }
        return entries
    }

    private mutating func admitted(_ batch: consuming Batch) -> (entries: LetOut, syncs: [ModuleID]) {
        if batch.isRetried { trouble = nil }
        var actions = BusCore.Action.conflated(batch.actions)
        // A value that was heard since is told already, and stays fresh.
        actions.removeAll { if case .snapshot(let topic, let payload, true) = $0 { payload.isEmpty && core.isFresh(topic) } else { false } }
        // Mostly nothing waits for a disk.
        if batch.pressing.isEmpty, batch.secured.isEmpty, withheld.isEmpty { return (LetOut(runs: batch.written, actions: actions), []) }
        let entries = batch.written.map(Withheld.Entry.run) + actions.map(Withheld.Entry.action) + batch.secured.map { .waiter($0.waiter, of: $0.module) }
        let (free, starts) = withheld.admit(entries, pressing: batch.pressing)
        return (LetOut(free), starts)
    }

    /// The journal takes nothing of what is left of the batch now: it waits, and all behind it.
    ///
    /// - Returns: what has waited long enough, and goes.
    package mutating func refused(_ batch: consuming Batch, by refusal: JournalRefusal) -> LetOut {
        batch.isRetried = true
        // A module that speaks meanwhile wakes the sending thread once; behind this batch that thread looks again.
        batch.isIdle = false
        trouble = ClusterNote(.disk, "the journal of \(refusal.module) takes nothing\(batch.waiting): \(refusal.description)", of: refusal.module)
        stalled = batch
        return behindFrames(LetOut(withheld.takeReleased()))
    }

    /// The module's journal was brought to the disk: what waited for it leaves with the next turn.
    ///
    /// - Returns: whether the next sync has to be started.
    package mutating func synced(_ module: ModuleID) -> Bool { withheld.synced(module) }
}

extension BusCore.Action {
    /// For the transport.
    fileprivate var isRoute: Bool {
        switch self {
        case .connect, .disconnect, .subscribe, .unsubscribe: true
        default: false
        }
    }

    /// Frames: they leave in turn.
    fileprivate var isSaid: Bool {
        switch self {
        case .publish, .replay, .ready: true
        default: false
        }
    }
}
