import Relux
import ReluxLedger

/// Entries that wait until a module's journal is on the disk: everything that follows from what it has said, in order. Pure.
///
/// Design notes. A module whose journal has to be on the disk gets a lane. What is said by others passes by; what follows from the module goes into
/// its lane, also when it needs no sync itself, so that the order of a stream stays. While one sync runs, what comes waits for the next one:
/// one sync for all of it. What is released stays here until the sending thread takes it, so that nothing behind it can overtake it.
struct Withheld: Sendable {
    enum Entry: Sendable {
        case run(SaidRun)
        case action(BusCore.Action)
        /// A waiter for the module's journal to be on the disk.
        case waiter(UnsafeContinuation<Void, Never>, of: ModuleID)

        /// Modules of this process whose records have to be safe before this may happen, if safety was promised.
        var foundations: [ModuleID] {
            switch self {
            case .run(let run): [run.module]
            case .action(let action): action.foundations
            case .waiter(_, let module): [module]
            }
        }
    }

    private struct Lane: Sendable {
        /// Let out when the sync that runs is done.
        var covered: [Entry] = []
        var waiting: [Entry] = []
        /// Some of `waiting` has to be on the disk.
        var needsSync = false
    }

    private var lanes: [ModuleID: Lane] = [:]
    /// Has waited long enough, and leaves before all that comes.
    private var released: [Entry] = []

    /// Nothing waits.
    var isEmpty: Bool { lanes.isEmpty && released.isEmpty }

    /// Takes what follows from a batch that is written; `pressing` are the modules whose part of it has to be on the disk.
    ///
    /// - Returns: what may happen now, what was released before in front, and whose journals a sync has to be started for.
    mutating func admit(_ entries: [Entry], pressing: Set<ModuleID>) -> (free: [Entry], starts: [ModuleID]) {
        if lanes.isEmpty, pressing.isEmpty { return (released.isEmpty ? entries : takeReleased() + entries, []) }
        var starts: [ModuleID] = []
        for module in pressing.sorted() {
            if lanes[module] == nil {
                lanes[module] = Lane()
                starts.append(module)
            } else {
                lanes[module]?.needsSync = true
            }
        }
        var free = takeReleased()
        for entry in entries {
            if let module = entry.foundations.first(where: { lanes[$0] != nil }) {
                if starts.contains(module) { lanes[module]?.covered.append(entry) } else { lanes[module]?.waiting.append(entry) }
            } else {
                free.append(entry)
            }
        }
        return (free, starts)
    }

    /// The module's sync is done: what has waited for it is released.
    ///
    /// - Returns: whether the next sync has to be started.
    mutating func synced(_ module: ModuleID) -> Bool {
        guard let lane = lanes.removeValue(forKey: module) else { return false }
        var done = lane.covered
        if lane.needsSync {
            lanes[module] = Lane(covered: lane.waiting)
        } else {
            done += lane.waiting
        }
        for entry in done {
            // Some of it may follow from another module too.
            if let other = entry.foundations.first(where: { $0 != module && lanes[$0] != nil }) {
                lanes[other]?.waiting.append(entry)
            } else {
                released.append(entry)
            }
        }
        return lane.needsSync
    }

    /// Takes the entries that may happen now, in order.
    mutating func takeReleased() -> [Entry] {
        defer { released = [] }
        return released
    }
}

extension BusCore.Action {
    /// See ``Withheld/Entry/foundations``.
    fileprivate var foundations: [ModuleID] {
        switch self {
        case .publish(_, _, .snapshot, _): []
        case .publish(let stream, _, _, _): [stream.publisher]
        case .replay(_, let publisher, _, _), .deliver(_, let publisher, _, _, _): [publisher]
        case .settle(_, let publisher, let recipient): [recipient, publisher]
        case .missed(let effect, let recipient, _): [recipient, effect.module]
        case .left(let module), .handedOver(let module, _): [module]
        case .ready, .askCourier, .overloaded, .interrupted, .expectHandOver, .snapshot, .connect, .disconnect, .subscribe, .unsubscribe,
            .joined:
            []
        }
    }
}
