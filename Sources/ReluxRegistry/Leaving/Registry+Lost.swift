import ReluxControl
import ReluxWire

/// Lost effects: the publishers' books, and the client that has a module taken out, who is told how many were lost with it.
extension Registry {
    mutating func take(_ books: [ModuleID: LostBook]) {
        guard losses.take(books, epochs) else { return }
        forgetNames()
        turn.mustPersist = true
    }

    mutating func answer(_ waiter: ModuleRecord.Waiter, _ lines: [String], behind module: ModuleID, lostBefore: UInt64) {
        losses.begin(.init(module: module, lines: lines, lostBefore: lostBefore, since: clock.now, waiter: waiter))
    }

    mutating func answerDepartures() {
        for (departure, count) in losses.takeCounted(clock.now) {
            let lost = count > 0 ? ["\(count.counted("effect was", "effects were")) lost with it so far; all of them: relux audit"] : []
            answer(departure.waiter.connection, departure.waiter.request, .done(lines: departure.lines + lost))
        }
    }
}
