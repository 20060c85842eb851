import ReluxControl
import ReluxWire

/// How many effects have ended as lost, and with which modules and processes; the clients that wait to be told how many were lost with a module. Pure.
struct Losses: Sendable {
    /// A module that is out, whose publishers still count its losses.
    struct Departure: Sendable {
        var module: ModuleID
        var lines: [String]
        /// Effects that had been lost with it before.
        var lostBefore: UInt64
        var since: Duration
        var waiter: ModuleRecord.Waiter
    }

    /// Publishers have this long to say how many effects were lost; later losses are counted, and not part of the answer.
    static let countingTime = Duration.milliseconds(500)

    /// As each publisher's life that was heard last tells. Its last word stays when it is removed.
    private(set) var byPublisher: [ModuleID: LostBook]
    /// The process that a module's latest instance died with.
    private(set) var deaths: [ModuleID: (host: HostID, pid: Int32)] = [:]
    private(set) var departures: [Departure] = []

    init(_ byPublisher: [ModuleID: LostBook] = [:]) { self.byPublisher = byPublisher }

    /// Whole books, each in the place of the one before it: a book that is told again, by another life of the host or to another broker, counts once.
    ///
    /// - Returns: whether that was news.
    mutating func take(_ books: [ModuleID: LostBook], _ epochs: EpochBook) -> Bool {
        var hasChanged = false
        for (publisher, told) in books {
            let known = byPublisher[publisher]
            // The life was never given, or it is over and a later one has spoken of it.
            guard told.epoch.rawValue <= epochs[publisher], told.epoch >= known?.epoch ?? told.epoch else { continue }
            let book = LostBook(epoch: told.epoch, told.by, others: told.others)
            guard book != known, !book.isEmpty || known != nil else { continue }
            byPublisher[publisher] = book
            hasChanged = true
        }
        return hasChanged
    }

    mutating func noteDeath(of id: ModuleID, with host: HostID, _ pid: Int32) { deaths[id] = (host, pid) }

    mutating func begin(_ departure: Departure) { departures.append(departure) }

    /// Those whose losses are counted, each with the number of effects that were lost with it since it was taken out.
    mutating func takeCounted(_ now: Duration) -> [(Departure, lost: UInt64)] {
        let isCounted = { (departure: Departure) in now - departure.since >= Self.countingTime }
        let counted = departures.filter(isCounted).map { departure in
            // A book may have begun anew meanwhile.
            let lost = count(with: departure.module)
            return (departure, lost: lost > departure.lostBefore ? lost - departure.lostBefore : 0)
        }
        departures.removeAll(where: isCounted)
        return counted
    }

    func count(with module: ModuleID) -> UInt64 { byPublisher.values.reduce(into: 0) { $0.grow(by: $1.by[module] ?? 0) } }

    /// By recipient, of all publishers.
    var byRecipient: [ModuleID: UInt64] {
        byPublisher.values.reduce(into: [:]) { lost, book in
            for (recipient, count) in book.by { lost[recipient, default: 0].grow(by: count) }
        }
    }

    /// Recipients that are no members have a line each, up to the limit; those that lost least, and names that the books do not tell apart, share one.
    func lines(limit: Int, isMember: (ModuleID) -> Bool) -> [String] {
        var others = byPublisher.values.reduce(into: UInt64(0)) { $0.grow(by: $1.others) }
        let gone = byRecipient.filter { !isMember($0.key) }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (_, count) in gone.dropFirst(limit) { others.grow(by: count) }
        var lines = gone.prefix(limit).sorted { $0.key < $1.key }.map {
            "\($0.value.counted("effect was", "effects were")) lost with \($0.key), which is no member any more"
        }
        if others > 0 { lines.append("\(others.counted("effect was", "effects were")) lost with further modules") }
        return lines
    }

    /// Deaths of names that nobody remembers.
    mutating func forgetDeaths(besides members: Set<ModuleID>, above limit: Int) {
        if deaths.count > members.count + limit { deaths = deaths.filter { members.contains($0.key) } }
    }

    /// Forgets publishers among `gone`, once there are more than the limit: those first whose last life is longest ago. The audit has them from their
    /// journals.
    ///
    /// - Returns: whether one was forgotten.
    mutating func forget(_ gone: [ModuleID], above limit: Int) -> Bool {
        guard gone.count > limit else { return false }
        let oldest = gone.sorted { (byPublisher[$0]?.epoch ?? Epoch(0), $0) < (byPublisher[$1]?.epoch ?? Epoch(0), $1) }
        for id in oldest.prefix(gone.count - limit * 3 / 4) { byPublisher[id] = nil }
        return true
    }
}
