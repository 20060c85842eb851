import ReluxWire

extension Relux {
    /// When waiting ends, the earliest first: pure.
    ///
    /// An entry is not taken out when the waiting ends before: whoever finds it looks whether it still counts.
    struct DeadlineHeap: Sendable {
        struct Entry: Sendable {
            var deadline: Duration
            var effect: EffectID
        }
        /// A binary heap: no entry is earlier than the one at half its index.
        private var entries: [Entry] = []

        var count: Int { entries.count }
        var first: Entry? { entries.first }

        init(_ entries: [Entry] = []) {
            // In order, it is a heap.
            self.entries = entries.sorted { $0.deadline < $1.deadline }
        }

        mutating func push(_ effect: EffectID, at deadline: Duration) {
            entries.append(Entry(deadline: deadline, effect: effect))
            var index = entries.count - 1
            while index > 0, entries[index].deadline < entries[(index - 1) / 2].deadline {
                entries.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func removeFirst() {
            guard !entries.isEmpty else { return }
            entries.swapAt(0, entries.count - 1)
            entries.removeLast()
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2] where child < entries.count && entries[child].deadline < entries[least].deadline {
                    least = child
                }
                if least == index { return }
                entries.swapAt(index, least)
                index = least
            }
        }
    }
}

extension Relux.ExchangeState {
    /// So many entries that do not count any more are no matter.
    private static let idleDeadlines = 1024

    /// The effect's waiter waits until then.
    mutating func note(deadline: Duration, of effect: EffectID) {
        deadlines.push(effect, at: deadline)
        guard deadlines.count > 2 * pending.count + Self.idleDeadlines else { return }
        deadlines = Relux.DeadlineHeap(
            pending.compactMap { effect, entry in entry.waiter == nil ? nil : .init(deadline: entry.deadline, effect: effect) })
    }

    /// Ends the waiting of everything whose deadline has passed; returns when to look again, nil when nobody waits.
    mutating func expire(now: Duration) -> (expired: [Resumption], next: Duration?) {
        var expired: [Resumption] = []
        while let first = deadlines.first {
            let entry = pending[first.effect]
            guard let entry, entry.waiter != nil, entry.deadline == first.deadline else {
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
        result.outcomes += entry.outstanding.map { module in
            if let parked = parkedOutcome(of: module, entry) { return parked }
            return .init(
                recipient: .init(module: module), status: .unanswered,
                failure: .unanswered(module.rawValue, after: entry.deadline - entry.acceptedAt, absent: membership?.absences[module]))
        }
        return endWaiting(for: effect, with: result)
    }
}
