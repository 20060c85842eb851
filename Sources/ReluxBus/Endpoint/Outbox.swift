import Relux

/// What waits for the sending thread, with an account of its bytes, and the sources that wait for room.
///
/// Handlers are never held up, or two processes could hold each other: they are accounted only.
struct Outbox: Sendable {
    private var items: [BusEndpoint.Item] = []
    /// What one module has settled since the last item; it becomes one item, when another one comes or all is taken.
    private var settled: [Settling] = []
    /// Someone has woken the thread, or it is at work and will look again.
    private var isAwake = false
    /// None of the items needs a disk, or much time.
    private var isQuick = true
    private(set) var queuedBytes = 0
    /// Bytes taken by the thread and not known to be sent.
    private var takenBytes = 0
    let byteLimit: Int

    /// Modules elsewhere at which too much is unsettled.
    private(set) var overloaded: Set<ModuleID> = []
    /// The disk has less room than its reserve.
    private(set) var isShort = false
    private var waiters: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    private var lastWaiter: UInt64 = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    var isFull: Bool { queuedBytes > byteLimit }
    var waiting: Int { waiters.count }

    /// True when the thread has to be woken.
    mutating func append(_ new: [BusEndpoint.Item], byteCount: Int) -> Bool {
        for item in new { add(item) }
        return account(byteCount)
    }

    /// The same for one item, without an array for it: every effect and every settlement comes here.
    mutating func append(_ new: BusEndpoint.Item, byteCount: Int) -> Bool {
        add(new)
        return account(byteCount)
    }

    /// What several handlers of a module settle one after the other is worked off together.
    mutating func append(_ new: Relux.Settled, byteCount: Int) -> Bool {
        if let last = settled.last, last.recipient != new.recipient || last.life != new.life { closeSettled() }
        if isQuick { isQuick = new.durability != .machine }
        settled.add(new)
        return account(byteCount)
    }

    private mutating func closeSettled() {
        guard let first = settled.first else { return }
        items.append(.settled(settled, capturing: [], of: first.recipient, life: first.life))
        settled = []
    }

    private mutating func add(_ item: BusEndpoint.Item) {
        closeSettled()
        if isQuick { isQuick = item.isQuick }
        items.append(item)
    }

    private mutating func account(_ byteCount: Int) -> Bool {
        queuedBytes += byteCount
        defer { isAwake = true }
        return !isAwake
    }

    typealias Taken = (items: [BusEndpoint.Item], admitted: [UnsafeContinuation<Void, Never>])

    /// The same as ``take()`` for somebody who must not wait; nil when there is something that may take its time.
    mutating func takeQuickly() -> Taken? { isQuick ? take() : nil }

    /// Everything, in order; what was taken before counts as sent. When there is nothing, the thread may sleep.
    mutating func take() -> Taken {
        let wasFull = isFull
        queuedBytes -= takenBytes
        takenBytes = queuedBytes
        closeSettled()
        let taken = items
        items = []
        isQuick = true
        if taken.isEmpty { isAwake = false }
        return (taken, wasFull && !isFull ? releaseAll() : [])
    }

    mutating func setOverloaded(_ modules: Set<ModuleID>) -> [UnsafeContinuation<Void, Never>] {
        overloaded = modules
        return releaseAll()
    }

    mutating func setShort(_ isShort: Bool) -> [UnsafeContinuation<Void, Never>] {
        self.isShort = isShort
        return isShort ? [] : releaseAll()
    }

    mutating func nextWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func add(_ waiter: UnsafeContinuation<Void, Never>, as id: UInt64) { waiters[id] = waiter }
    mutating func release(_ id: UInt64) -> UnsafeContinuation<Void, Never>? { waiters.removeValue(forKey: id) }

    private mutating func releaseAll() -> [UnsafeContinuation<Void, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

extension BusEndpoint.Item {
    /// It can be worked off by whoever has said something: no disk is waited for, and nobody comes or goes.
    var isQuick: Bool {
        switch self {
        case .emission(let emission): emission.durability != .machine
        case .settled(let batch, _, _, _): !batch.contains { $0.durability == .machine }
        case .refused(let settling): settling.durability != .machine
        case .note, .action, .unaccepted: true
        case .secure, .join, .open, .standBy, .standDown, .handOver, .leave, .close, .picture, .trim: false
        }
    }
}
