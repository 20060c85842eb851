import ReluxWire

extension Relux {
    /// When waiting ends, the earliest first: pure.
    ///
    /// Design notes. Nearly all wait for the same time, so their deadlines come in order and leave in order: those stand in a queue, the others in a
    /// heap. An entry is not taken out when the waiting ends before: whoever finds it looks whether it still counts.
    struct DeadlineQueue: Sendable {
        struct Entry: Sendable {
            var deadline: Duration
            var effect: EffectID
        }
        private var ordered = FIFO<Entry>()
        private var latest: Duration?
        /// A binary heap: no entry is earlier than the one at half its index.
        private var heap: [Entry] = []

        var count: Int { ordered.count + heap.count }

        var first: Entry? {
            guard let first = ordered.first else { return heap.first }
            guard let other = heap.first, other.deadline < first.deadline else { return first }
            return other
        }

        mutating func push(_ effect: EffectID, at deadline: Duration) {
            let entry = Entry(deadline: deadline, effect: effect)
            guard let latest, deadline < latest, !ordered.isEmpty else {
                latest = deadline
                return ordered.append(entry)
            }
            heap.append(entry)
            var index = heap.count - 1
            while index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func removeFirst() {
            if let first = ordered.first, heap.first.map({ first.deadline <= $0.deadline }) ?? true {
                _ = ordered.popFirst()
            } else if !heap.isEmpty {
                removeFirstOfHeap()
            }
        }

        private mutating func removeFirstOfHeap() {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].deadline < heap[least].deadline {
                    least = child
                }
                if least == index { return }
                heap.swapAt(index, least)
                index = least
            }
        }

        /// Forgets all entries that do not count any more.
        mutating func keep(where counts: (Entry) -> Bool) {
            var kept = FIFO<Entry>()
            while let entry = ordered.popFirst() { if counts(entry) { kept.append(entry) } }
            ordered = kept
            // In order, it is a heap.
            heap = heap.filter(counts).sorted { $0.deadline < $1.deadline }
        }
    }
}

extension Relux.ExchangeState {
    /// How many entries may stay that do not count any more.
    private static let idleDeadlines = 1024

    /// The effect's waiter, whose entry is there, waits until then.
    mutating func note(deadline: Duration, of effect: EffectID) {
        deadlines.push(effect, at: deadline)
        // Entries that do not count any more leave as fast as others come.
        for _ in 0..<2 {
            guard let first = deadlines.first, !counts(first) else { break }
            deadlines.removeFirst()
        }
        guard deadlines.count > 2 * pending.count + Self.idleDeadlines else { return }
        let pending = pending
        deadlines.keep { Self.counts($0, in: pending) }
    }

    private func counts(_ entry: Relux.DeadlineQueue.Entry) -> Bool { Self.counts(entry, in: pending) }

    private static func counts(_ entry: Relux.DeadlineQueue.Entry, in pending: Relux.PendingTable) -> Bool {
        pending[entry.effect].map { $0.waiter != nil && $0.deadline == entry.deadline } ?? false
    }

    /// Ends the waiting of everything whose deadline has passed; returns when to look again, nil when nobody waits.
    mutating func expire(now: Duration) -> (expired: [Resumption], next: Duration?) {
        var expired: [Resumption] = []
        while let first = deadlines.first {
            guard counts(first), let entry = pending[first.effect] else {
                deadlines.removeFirst()
                continue
            }
            guard first.deadline <= now else { return (expired, first.deadline) }
            deadlines.removeFirst()
            if let resumption = expire(first.effect, entry) { expired.append(resumption) }
        }
        return (expired, nil)
    }

    private mutating func expire(_ effect: EffectID, _ entry: Pending) -> Resumption? {
        var result = entry.result
        result.outcomes += entry.outstanding.modules.map { module in
            if let parked = parkedOutcome(of: module, entry) { return parked }
            return .init(
                recipient: .init(module: module), status: .unanswered,
                failure: .unanswered(module.rawValue, after: entry.deadline - entry.acceptedAt, absent: membership?.absences[module]))
        }
        return endWaiting(for: effect, with: result)
    }
}
