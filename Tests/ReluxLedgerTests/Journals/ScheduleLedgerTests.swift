import Relux
@testable import ReluxLedger
import Testing

/// Where a module's schedules stand, as its journal has it.
@Suite struct ScheduleLedgerTests {
    private func record(last: Int64, isPaused: Bool = false, isRemoved: Bool = false, isSetBack: Bool = false, position: UInt64 = 0) -> WireRecord {
        .schedule(
            ScheduleRecord(
                scheduleName: "poll", rule: "every 30s", last: last, next: last + 30_000, isPaused: isPaused, isRemoved: isRemoved, isSetBack: isSetBack,
                position: position))
    }

    @Test func `the next life and a checkpoint know where a schedule stands`() throws {
        var ledger = Ledger("Uptime")
        ledger.apply(ScheduleRecord.topic, record(last: 1_000))
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, position: 7))
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, isPaused: true))
        let restored = try Ledger("Uptime", checkpoint: try #require(ledger.checkpoint()))
        for one in [ledger, restored] {
            let place = try #require(one.recovery(epoch: Epoch(2)).schedules["poll"])
            #expect(place.last == Relux.WallTime(milliseconds: 2_000) && place.isPaused && place.rule == "every 30s")
            #expect(one.schedules["poll"]?.position == 7 && one.schedules["poll"]?.fired == 2_000, "a word without a tick keeps the last tick's effect")
        }
    }

    @Test func `a word that was queued before a tick and is written behind it does not bring that tick back`() throws {
        var ledger = Ledger("Uptime")
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, position: 7))
        ledger.apply(ScheduleRecord.topic, record(last: 1_000))
        #expect(ledger.schedules["poll"]?.last == 2_000 && ledger.schedules["poll"]?.next == 32_000)
        let restored = try Ledger("Uptime", checkpoint: try #require(ledger.checkpoint()))
        #expect(restored.schedules["poll"]?.next == 32_000)
    }

    @Test func `the time goes back with the machine's clock`() {
        var ledger = Ledger("Uptime")
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, position: 7))
        ledger.apply(ScheduleRecord.topic, record(last: 1_000, isSetBack: true))
        #expect(ledger.schedules["poll"]?.last == 1_000 && ledger.schedules["poll"]?.fired == 2_000)
    }

    @Test func `a schedule that is removed is in no checkpoint, and begins anew`() throws {
        var ledger = Ledger("Uptime")
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, position: 7))
        ledger.apply(ScheduleRecord.topic, record(last: 2_000, isRemoved: true))
        #expect(try Ledger("Uptime", checkpoint: try #require(ledger.checkpoint())).schedules.isEmpty)
        ledger.apply(ScheduleRecord.topic, record(last: 1_500))
        #expect(ledger.schedules["poll"]?.last == 1_500 && ledger.schedules["poll"]?.isRemoved == false)
    }
}
