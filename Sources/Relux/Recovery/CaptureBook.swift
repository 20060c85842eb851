import ReluxWire

extension Relux {
    /// Decides which of a module's restorable states have to be captured with which settlements: pure.
    ///
    /// Design notes. A state needs no new record with a batch when none of its value and bookkeeping has changed: it has the
    /// bytes and the version of the last record handed over, and that record lists every effect that it has reduced and that
    /// will still be unsettled behind the batch. Then a recovery from that record gives the same value and skips the same reducers.
    /// An effect listed there that has settled meanwhile does no harm, for it is never handled again. Equal bytes alone are not enough:
    /// of two reductions that undo each other one may settle before the other.
    struct CaptureBook: Sendable {
        struct Entry: Sendable {
            let name: String
            let version: UInt32
            /// The last record handed over; nil while the state has its initial value.
            var last: CapturedState?
            /// Unsettled effects that are in the value.
            var reduced: Set<EffectID>
            /// Unsettled effects whose handlers have dispatched an action that the state reduced.
            var touched: Set<EffectID> = []
            /// Something was reduced since it was read last.
            var isDirty = false
        }

        /// A state as it was read, and what was true of it at that moment.
        struct Reading: Sendable {
            var index: Int
            var reduced: Set<EffectID>
            /// Effects of the batch whose work is in the value.
            var dependents: Set<EffectID> = []
            var encode: @Sendable () -> Result<[UInt8], Failure>
        }

        struct Waiting: Sendable {
            var settled: Settled
            /// The readings of a serial module when the handler had ended; nil when nothing is to be read for it.
            var readings: [Reading]?
        }

        private(set) var entries: [Entry]
        /// Effects that the module has begun and not settled.
        private var open: Set<EffectID> = []
        private var waiting: [Waiting] = []
        /// In a serial module: the readings at the end of handlers that are about to settle.
        private var read: [EffectID: [Reading]] = [:]
        private(set) var isAtWork = false
        private(set) var isClosed = false
        /// The states are cleaned up, or are about to be: what is read of them is nobody's value.
        private(set) var isRetired = false

        init(entries: [Entry]) { self.entries = entries }

        // MARK: Reducing

        mutating func began(_ effect: EffectID) { open.insert(effect) }

        /// False when the effect is in the value already, from the life before.
        ///
        /// A transient effect is not handled again, so no record lists it.
        mutating func reduces(_ effect: EffectID, index: Int, isTransient: Bool = false) -> Bool {
            if isTransient {
                touches(index, cause: effect)
                return true
            }
            guard entries[index].reduced.insert(effect).inserted else { return false }
            entries[index].isDirty = true
            return true
        }

        /// An action changes the state; `cause` is the effect whose handler dispatched it.
        mutating func touches(_ index: Int, cause: EffectID?) {
            entries[index].isDirty = true
            if let cause, open.contains(cause) { entries[index].touched.insert(cause) }
        }

        // MARK: Settling

        /// True when a worker has to be started. After ``close()`` nothing is taken: it stays unsettled.
        mutating func add(_ settled: Settled) -> Bool {
            guard !isClosed else { return false }
            waiting.append(Waiting(settled: settled, readings: read.removeValue(forKey: settled.id)))
            guard !isAtWork else { return false }
            isAtWork = true
            return true
        }

        mutating func close() { isClosed = true }

        mutating func retire() {
            isClosed = true
            isRetired = true
        }

        /// All that waits; empty when the worker may rest.
        mutating func take() -> [Waiting] {
            defer { waiting = [] }
            if waiting.isEmpty { isAtWork = false }
            return waiting
        }

        /// The states that have to be read now, in the caller's turn.
        mutating func due() -> [Int] {
            entries.indices.filter { entries[$0].isDirty }
        }

        /// Called in the same turn as the reading; nil when that may have been of a state that is cleaned up.
        mutating func reading(_ index: Int, _ encode: @escaping @Sendable () -> Result<[UInt8], Failure>) -> Reading? {
            guard !isRetired else { return nil }
            entries[index].isDirty = false
            return Reading(
                index: index, reduced: entries[index].reduced,
                dependents: entries[index].reduced.union(entries[index].touched), encode: encode)
        }

        /// In a serial module: keeps the readings until the effect settles.
        mutating func keep(_ readings: [Reading], for effect: EffectID) {
            if !isClosed { read[effect] = readings }
        }

        /// The records of a batch for the journal: the states first, then the settlements.
        ///
        /// An effect whose work is in a state that cannot be encoded settles as failed; the others of the batch do not depend on it.
        mutating func resolve(
            _ batch: [Settled], _ encoded: [(reading: Reading, bytes: Result<[UInt8], Failure>)]
        ) -> (batch: [Settled], states: [CapturedState]) {
            let ended = Set(batch.map(\.id))
            open.subtract(ended)
            var batch = batch
            var states: [CapturedState] = []
            for index in entries.indices {
                entries[index].reduced.subtract(ended)
                entries[index].touched.subtract(ended)
            }
            for (reading, bytes) in encoded {
                switch bounded(bytes, reading, ended) {
                case .success(let bytes):
                    if let state = record(reading, bytes, ended) { states.append(state) }
                case .failure(let failure):
                    entries[reading.index].isDirty = true
                    for index in batch.indices where reading.dependents.contains(batch[index].id) {
                        batch[index].result = Self.failed(
                            batch[index].result, by: batch[index].recipient, entries[reading.index].name, failure)
                    }
                }
            }
            return (batch, states)
        }

        private func bounded(_ bytes: Result<[UInt8], Failure>, _ reading: Reading, _ ended: Set<EffectID>) -> Result<[UInt8], Failure> {
            guard case .success(let value) = bytes,
                let failure = Self.excess(of: value, in: entries[reading.index].name, reduced: reading.reduced, without: ended)
            else { return bytes }
            return .failure(failure)
        }

        /// A record names the effects that are in the value and unsettled: with them, too, it has to fit. nil when it does.
        static func excess(of value: [UInt8], in name: String, reduced: some Collection<EffectID>, without ended: Set<EffectID> = []) -> Failure? {
            let fixed = value.count + name.utf8.count + 1024
            // Nearly always it is clear without a look at each.
            guard fixed + reduced.count * (ModuleID.byteLimit + positionByteCount) > WireRecord.byteLimit else { return nil }
            let names = reduced.reduce(0) { $0 + (ended.contains($1) ? 0 : $1.module.rawValue.utf8.count + positionByteCount) }
            guard fixed + names > WireRecord.byteLimit else { return nil }
            return .coding(
                "\(name) has \(value.count) bytes when stored, and \(reduced.count) effects that it has reduced are unsettled: together"
                    + " more than \(WireRecord.byteLimit) bytes; keep less in it, or settle sooner")
        }

        /// At most, with what its coding adds.
        private static let positionByteCount = 24

        private mutating func record(_ reading: Reading, _ bytes: [UInt8], _ ended: Set<EffectID>) -> CapturedState? {
            let entry = entries[reading.index]
            let reduced = reading.reduced.subtracting(ended)
            if let last = entry.last, last.version == entry.version, last.bytes == bytes,
                reduced.isSubset(of: last.reduced)
            {
                return nil
            }
            let state = CapturedState(name: entry.name, version: entry.version, bytes: bytes, reduced: reduced.sorted())
            entries[reading.index].last = state
            return state
        }

        private static func failed(
            _ result: ActionResult, by recipient: ModuleID, _ name: String, _ failure: Failure
        ) -> ActionResult {
            ActionResult(
                outcomes: result.outcomes + [
                    .init(recipient: .init(module: recipient, handler: name), status: .failed, failure: failure)
                ], isUnhandled: result.isUnhandled)
        }
    }
}
