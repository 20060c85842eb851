import Relux

/// The recipients that still have to answer each transient effect of one process: kept in memory, for as long as somebody may wait. Pure.
struct TransientBook: Sendable {
    private struct Entry: Sendable {
        var stream: StreamID
        var sequence: UInt64
        var outstanding: [ModuleID]
        /// From this moment on nobody waits any more.
        var end: Duration
    }

    private var entries: [EffectID: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }
    /// Everybody who has not answered something.
    var recipients: Set<ModuleID> { Set(entries.values.flatMap(\.outstanding)) }

    mutating func add(_ effect: EffectID, on stream: StreamID, sequence: UInt64, recipients: [ModuleID], until end: Duration) {
        entries[effect] = Entry(stream: stream, sequence: sequence, outstanding: recipients, end: end)
    }

    /// False when the recipient owes no answer.
    mutating func settle(_ effect: EffectID, by recipient: ModuleID) -> Bool {
        guard let entry = entries[effect], let place = entry.outstanding.firstIndex(of: recipient) else { return false }
        if entry.outstanding.count == 1 { entries[effect] = nil } else { entries[effect]?.outstanding.remove(at: place) }
        return true
    }

    /// The effects that the recipient has not answered, in order; of one stream's range, if given.
    func owed(by recipient: ModuleID, of stream: StreamID? = nil, in range: ClosedRange<UInt64> = 0...(.max)) -> [EffectID] {
        entries.filter { _, entry in
            entry.outstanding.contains(recipient) && range.contains(entry.sequence) && (stream == nil || entry.stream == stream)
        }.map(\.key).sorted()
    }

    mutating func forget(_ publisher: ModuleID) { entries = entries.filter { $0.value.stream.publisher != publisher } }

    mutating func expire(now: Duration) {
        if entries.values.contains(where: { $0.end <= now }) { entries = entries.filter { $0.value.end > now } }
    }
}
