import Relux
import ReluxLedger

/// Effects, notes and settlements of modules since the last turn, with an account of their bytes, and the sources that wait for room. Pure.
///
/// Design notes. It has a lock of its own, held for a few instructions: whoever says something never waits for what the protocol does with what was
/// said before. What is said comes first, then what journals alone get, then what is settled: a handler's settlement follows what it has said and
/// kept. Handlers are never held up, or two processes could hold each other: they are accounted only.
struct Intake: Sendable {
    /// Settlements of one life of a module, one after the other, with the states that changed for them: one step of the protocol.
    struct Settlements: Sendable {
        var module: ModuleID
        var life: UInt64
        var batch: [Settling]
        var states: [Relux.CapturedState] = []
    }
    /// A record for the module's journal alone.
    enum Note: Sendable {
        /// Dispatches that were not accepted: `count` of them go into the journal, 0 for none; one is shown to taps, or none.
        case refused(Relux.RefusedDispatch, count: UInt64, isShown: Bool, wallTime: UInt64)
        /// The continuation is resumed when it is there.
        case record(WireRecord, on: Topic, of: ModuleID, life: UInt64, UnsafeContinuation<Bool, Never>?)
    }
    /// The work of a turn.
    struct Contents: Sendable {
        var said: [Relux.Emission] = []
        var notes: [Note] = []
        var settled: [Settlements] = []
        var hasNews = false
    }
    private var contents = Contents()
    /// Somebody has woken the sending thread, or it is at work and will look again.
    private var isAwake = false
    /// Nothing of it needs a disk, or much time.
    private(set) var isQuick = true

    private(set) var queuedBytes = 0
    /// Bytes that the last turn took, which are not known to be sent.
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

    // MARK: What comes in

    /// - Returns: whether the sending thread has to be woken; so do all that follow.
    mutating func say(_ emission: Relux.Emission) -> Bool {
        contents.said.append(emission)
        if emission.durability == .machine { isQuick = false }
        return account(emission.payloadByteCount + BusCore.recordOverhead)
    }

    /// Adds a settlement. Those that several handlers of a module say one after the other are worked off together.
    mutating func settle(_ settled: Relux.Settled) -> Bool {
        if let last = contents.settled.last, last.module == settled.recipient, last.life == settled.life, last.states.isEmpty {
            contents.settled[contents.settled.count - 1].batch.add(settled)
        } else {
            contents.settled.append(Settlements(module: settled.recipient, life: settled.life, batch: [Settling(settled)]))
        }
        if settled.durability == .machine { isQuick = false }
        return account(BusCore.recordOverhead)
    }

    mutating func settle(_ settlements: Settlements) -> Bool {
        contents.settled.append(settlements)
        if settlements.batch.contains(where: { $0.durability == .machine }) { isQuick = false }
        return account(settlements.states.reduce(settlements.batch.count * BusCore.recordOverhead) { $0 + $1.bytes.count })
    }

    mutating func note(_ note: Note, byteCount: Int) -> Bool {
        contents.notes.append(note)
        return account(byteCount)
    }

    /// Something else has happened that the next turn writes down.
    mutating func note(isQuick: Bool = true) -> Bool {
        if !isQuick { self.isQuick = false }
        return account(0)
    }

    private mutating func account(_ byteCount: Int) -> Bool {
        queuedBytes += byteCount
        contents.hasNews = true
        defer { isAwake = true }
        return !isAwake
    }

    /// Takes what was said and settled so far, for something that has to come behind it.
    mutating func takeSaid() -> Contents {
        var taken = Contents()
        (taken.said, contents.said) = (contents.said, [])
        (taken.notes, contents.notes) = (contents.notes, [])
        (taken.settled, contents.settled) = (contents.settled, [])
        return taken
    }

    /// Everything; what was taken before counts as sent. When nothing has happened, the sending thread may sleep.
    mutating func take() -> (contents: Contents, admitted: [UnsafeContinuation<Void, Never>]) {
        let wasFull = isFull
        queuedBytes -= takenBytes
        takenBytes = queuedBytes
        var taken = Contents()
        swap(&taken, &contents)
        isQuick = true
        if !taken.hasNews { isAwake = false }
        return (taken, wasFull && !isFull ? admitAll() : [])
    }

    // MARK: Room

    mutating func setOverloaded(_ modules: Set<ModuleID>) -> [UnsafeContinuation<Void, Never>] {
        overloaded = modules
        return admitAll()
    }

    mutating func setShort(_ isShort: Bool) -> [UnsafeContinuation<Void, Never>] {
        self.isShort = isShort
        return isShort ? [] : admitAll()
    }

    private mutating func admitAll() -> [UnsafeContinuation<Void, Never>] {
        if waiters.isEmpty { return [] }
        defer { waiters = [:] }
        return Array(waiters.values)
    }

    mutating func nextWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func add(_ waiter: UnsafeContinuation<Void, Never>, as id: UInt64) { waiters[id] = waiter }
    mutating func release(_ id: UInt64) -> UnsafeContinuation<Void, Never>? { waiters.removeValue(forKey: id) }
}
