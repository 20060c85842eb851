import ReluxBus
import ReluxWire

/// The client that has a module taken out is told how much was lost with it.
extension Registry {
    /// A module that is out, whose publishers still count what was lost.
    struct Departure: Sendable {
        var module: ModuleID
        var lines: [String]
        /// Effects that had been lost with it before.
        var lostBefore: UInt64
        var since: Duration
        var waiter: ModuleRecord.Waiter
    }

    /// Publishers have this long to say how much it was; later losses are counted, and not part of the answer.
    static let countingTime = Duration.milliseconds(500)

    mutating func answer(_ waiter: ModuleRecord.Waiter, _ lines: [String], behind module: ModuleID, lostBefore: UInt64) {
        departures.append(Departure(module: module, lines: lines, lostBefore: lostBefore, since: now, waiter: waiter))
    }

    mutating func answerDepartures() {
        for departure in departures where now - departure.since >= Self.countingTime {
            let (now, before) = (lost(with: departure.module), departure.lostBefore)
            // A book may have begun anew meanwhile.
            let lost = now > before ? ["\(now - before) effects were lost with it so far; all of them: relux audit"] : []
            answer(departure.waiter.connection, departure.waiter.request, .done(lines: departure.lines + lost))
        }
        departures.removeAll { now - $0.since >= Self.countingTime }
    }
}
