import Relux

/// The last snapshot of each stream: of modules here, and of modules elsewhere that somebody here observes. Pure.
struct SnapshotBook: Sendable {
    /// The last one that was heard of an owner elsewhere.
    struct Heard: Sendable {
        var version: UInt64
        var isStale: Bool
        /// A newcomer here has not heard it: the same version is taken once more, an older one is not.
        var isWanted = false
    }

    var heard: [StreamID: Heard] = [:]
    private(set) var shown: [StreamID: SnapshotRecord] = [:]
    /// Streams of `shown` that are not in their owners' journals yet.
    private var unwritten: Set<StreamID> = []
    /// The snapshots of modules here have to be said once more.
    var isRepeatDue = false

    // MARK: Of modules here

    /// - Parameter start: versions of the owner's present life begin behind it.
    /// - Returns: nil when that is shown already.
    mutating func show(_ payload: [UInt8], on stream: StreamID, behind start: UInt64) -> SnapshotRecord? {
        let last = shown[stream]
        if let last, last.payload == payload[...] { return nil }
        let record = SnapshotRecord(version: (last?.version ?? start) + 1, payload: payload[...])
        shown[stream] = record
        unwritten.insert(stream)
        return record
    }

    /// - Parameter owner: nil for all.
    mutating func takeUnwritten(of owner: ModuleID?) -> [(stream: StreamID, record: SnapshotRecord)] {
        guard !unwritten.isEmpty else { return [] }
        let due = unwritten.filter { owner == nil || $0.publisher == owner }
        unwritten.subtract(due)
        return due.sorted().compactMap { stream in shown[stream].map { (stream, $0) } }
    }

    mutating func forgetShown(of owner: ModuleID) { shown = shown.filter { $0.key.publisher != owner } }

    // MARK: Of modules elsewhere

    /// - Returns: false for an older value than the last, or the same one said again for others.
    mutating func take(_ snapshot: SnapshotRecord, on stream: StreamID) -> Bool {
        let isStale = snapshot.flags.contains(.stale)
        if let last = heard[stream], snapshot.version <= last.version {
            // Said again for a newcomer, or by an owner that was taken for gone.
            guard snapshot.version == last.version, last.isWanted || last.isStale && !isStale else { return false }
        }
        heard[stream] = Heard(version: snapshot.version, isStale: isStale)
        return true
    }

    /// A newcomer has not heard what the others here have, who must not go back for it.
    mutating func welcome(observing observed: Set<Topic>, besides others: Set<Topic>) {
        heard = heard.filter { !observed.contains($0.key.topic) || others.contains($0.key.topic) }
        for stream in heard.keys where observed.contains(stream.topic) { heard[stream]?.isWanted = true }
    }

    mutating func forgetHeard(of publishers: Set<ModuleID>) { heard = heard.filter { !publishers.contains($0.key.publisher) } }

    /// Somebody shows a value of that stream now.
    func isFresh(_ topic: Topic) -> Bool { heard.contains { $0.key.topic == topic && !$0.value.isStale } }
}
