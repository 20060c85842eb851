import Foundation
@testable import Relux
import Testing

@Suite struct CronTests {
    /// The times of a line behind a moment, as ISO 8601 in UTC.
    private func times(_ line: String, in zone: String = "UTC", after moment: Relux.WallTime, _ count: Int) throws -> [String] {
        let (line, zone) = (try CronLine(line), try TimeZoneRules(named: zone))
        var second = moment.milliseconds / 1_000
        return try (0..<count).map { _ in
            second = try #require(line.next(after: second, in: zone))
            return "\(Relux.WallTime(milliseconds: second * 1_000))"
        }
    }

    @Test func `minutes, hours, days, months and weekdays restrict a line, in lists, ranges, steps and names`() throws {
        let start = Relux.WallTime(2026, 11, 27, 17, 0)
        #expect(try times("30 8 * * MON-FRI", after: start, 3) == ["2026-11-30T08:30:00Z", "2026-12-01T08:30:00Z", "2026-12-02T08:30:00Z"])
        #expect(try times("*/20 * * * *", after: start, 3) == ["2026-11-27T17:20:00Z", "2026-11-27T17:40:00Z", "2026-11-27T18:00:00Z"])
        #expect(try times("5,35 0-23/12 * * *", after: start, 3) == ["2026-11-28T00:05:00Z", "2026-11-28T00:35:00Z", "2026-11-28T12:05:00Z"])
        #expect(try times("0 0 29 2 *", after: start, 2) == ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"])
        #expect(try times("0 0 1 JAN,jul *", after: start, 2) == ["2027-01-01T00:00:00Z", "2027-07-01T00:00:00Z"])
        #expect(try times("@weekly", after: start, 1) == ["2026-11-29T00:00:00Z"])
        #expect(try times("0 0 * * 7", after: start, 1) == ["2026-11-29T00:00:00Z"])
        #expect(try times("0 0 * * FRI-SUN", after: start, 3) == ["2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z", "2026-12-04T00:00:00Z"])
    }

    @Test func `where both days are restricted, either will do`() throws {
        #expect(
            try times("0 0 13 * FRI", after: Relux.WallTime(2026, 11, 1), 4)
                == ["2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z"])
        #expect(try times("0 0 */2 * MON", after: Relux.WallTime(2026, 11, 1), 2) == ["2026-11-09T00:00:00Z", "2026-11-23T00:00:00Z"])
    }

    @Test func `a local time that does not exist comes right behind the gap, of two equal ones the first counts`() throws {
        // Berlin: on 2026-03-29 at 02:00 clocks go to 03:00, on 2026-10-25 at 03:00 back to 02:00.
        #expect(
            try times("30 2 * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 3, 28), 3)
                == ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"])
        #expect(
            try times("30 2 * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 10, 24, 12), 2) == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
        #expect(
            try times("0,30 2 * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 3, 28, 12), 3)
                == ["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z", "2026-03-30T00:30:00Z"])
        // From the second pass of an hour on.
        #expect(try times("30 2 * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 10, 25, 1, 10), 1) == ["2026-10-26T01:30:00Z"])
    }

    @Test func `a line whose minute or hour is open goes by the time that passes`() throws {
        #expect(
            try times("0 * * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 10, 24, 23, 30), 4)
                == ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"])
        #expect(
            try times("*/30 1-3 * * *", in: "Europe/Berlin", after: Relux.WallTime(2026, 3, 29, 0, 0), 4)
                == ["2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-29T23:00:00Z"])
    }

    /// Foundation's calendar, minute by minute: it knows nothing of this code.
    @Test(arguments: ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"])
    func `an open line has the minutes that Foundation's calendar finds`(zone: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let line = try CronLine("*/13 1-4,22 * 3,4,10,11 SUN")
        let rules = try TimeZoneRules(named: zone)
        let (start, end) = (Relux.WallTime(2026, 3, 1).milliseconds / 1_000, Relux.WallTime(2026, 11, 15).milliseconds / 1_000)
        var expected: [Int64] = []
        for moment in stride(from: start + 60, to: end, by: 60) {
            let parts = calendar.dateComponents([.minute, .hour, .month, .weekday], from: Date(timeIntervalSince1970: TimeInterval(moment)))
            guard let minute = parts.minute, let hour = parts.hour, let month = parts.month, parts.weekday == 1 else { continue }
            if minute % 13 == 0, (1...4).contains(hour) || hour == 22, [3, 4, 10, 11].contains(month) { expected.append(moment) }
        }
        var found: [Int64] = []
        var moment = start
        while let next = line.next(after: moment, in: rules), next < end {
            found.append(next)
            moment = next
        }
        #expect(found == expected)
        #expect(expected.count > 300)
    }

    @Test(arguments: [
            ("61 * * * *", "the minute of the cron line \"61 * * * *\": \"61\" is not 0 to 59"),
            ("* 24 * * *", "the hour of the cron line"), ("* * 0 * *", "\"0\" is not 1 to 31"),
            ("* * * FOO *", "\"FOO\" is not 1 to 12 or JAN to DEC"), ("* * * * MOO", "\"MOO\" is not 0 to 7 or SUN to SAT"),
            ("* * * *", "has 4 fields; it takes 5"), ("", "has 0 fields"), ("* * * * * *", "has 6 fields"),
            ("*/0 * * * *", "the step \"0\" is no number from 1 to 59"), ("5-1 * * * *", "the range \"5-1\" ends before it begins"),
            ("1,,2 * * * *", "\"\" is not 0 to 59"), ("-1 * * * *", "\"\" is not 0 to 59"), ("1- * * * *", "\"\" is not 0 to 59"),
            ("0 0 30 2 *", "has no time at all"), ("0 0 31 4,6,9,11 *", "has no time at all"), ("@often", "has 1 field;"),
            (String(repeating: "1,", count: 200) + "1 * * * *", "is over the limit of 256"), ("é * * * *", "\"é\" is not 0 to 59"), ("9999999999999999999999 * * * *", "is not 0 to 59"),
        ])
    func `a bad line is named with its field, value and range`(line: String, message: String) {
        let fault = #expect(throws: ScheduleFault.self) { try CronLine(line) }
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "none")")
    }
}

@Suite struct TimeZoneTests {
    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca",
        "America/Sao_Paulo", "UTC", "Etc/GMT+5", "Antarctica/Troll", "Asia/Tehran",
    ])
    func `offsets are Foundation's, in the table and behind it`(zone: String) throws {
        let rules = try TimeZoneRules(named: zone)
        let reference = try #require(TimeZone(identifier: zone))
        // Behind 2037 most tables have ended; Morocco's goes on, and Foundation does not follow it.
        let end = zone == "Africa/Casablanca" ? 2037 : 2060
        for second in stride(from: Relux.WallTime(1971, 1, 1).milliseconds / 1_000, to: Relux.WallTime(end, 1, 1).milliseconds / 1_000, by: 3_600 * 17) {
            let expected = reference.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second)))
            let found = rules.segment(at: second)
            try #require(found.offset == Int64(expected), "\(zone) at \(Relux.WallTime(milliseconds: second * 1_000))")
            if let segmentEnd = found.end { try #require(segmentEnd > second) }
        }
    }

    @Test func `days of the calendar are Foundation's`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for number in stride(from: -60_000, to: 60_000, by: 1) {
            let day = CivilDay(number: number)
            guard number % 97 == 0 else { continue }
            let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: TimeInterval(number) * 86_400))
            // Before 1583 Foundation has another calendar; that is not reached here.
            try #require([day.year, day.month, day.day, day.weekday + 1] == [parts.year, parts.month, parts.day, parts.weekday])
            try #require(CivilDay(year: day.year, month: day.month, day: day.day).number == number)
        }
        #expect("\(Relux.WallTime(2024, 2, 29, 23, 59, 59))" == "2024-02-29T23:59:59Z")
        #expect("\(Relux.WallTime(2024, 2, 29) + .milliseconds(1_005))" == "2024-02-29T00:00:01.005Z")
        #expect("\(Relux.WallTime(milliseconds: -1))" == "1969-12-31T23:59:59.999Z")
        #expect(Relux.WallTime(2026, 13, 1) == Relux.WallTime(2027, 1, 1))
    }

    @Test(arguments: [
        ("Europe/Bonn", "install the package tzdata"), ("../etc/passwd", "is no name of a time zone"), ("/etc/passwd", "is no name of a time zone"),
        ("", "is no name of a time zone"), ("zone.tab", "is no zone file"), ("Europe", "(Is a directory)"),
    ])
    func `a zone that is none, or whose file is none, is named with the remedy`(zone: String, message: String) {
        let fault = #expect(throws: ScheduleFault.self) { try TimeZoneRules(named: zone) }
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "none")")
    }

    @Test func `no bytes trap: cut and changed zone files make a zone or none`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(ZoneFile(bytes)?.tail == PosixZone("CET-1CEST,M3.5.0,M10.5.0/3"))
        for count in bytes.indices { _ = ZoneFile(Array(bytes[..<count])) }
        let (line, daily) = (try CronLine("*/7 * * * *"), try CronLine("30 2 * * *"))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<3 { changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random) }
            guard let zone = TimeZoneRules(changed) else { continue }
            _ = line.next(after: 1_790_000_000, in: zone)
            _ = daily.next(after: 4_000_000_000, in: zone)
        }
        for text in ["", "X", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "<+03>-3", "EST5EDT,0/0,J365/25", "CET-999CEST,M3.5.0,M10.5.0/999"] {
            _ = PosixZone(text)?.segment(at: 4_000_000_000)
        }
        for text in ["CET-999", "CET-1CEST,J1/168,J2/0", "CET-27"] { #expect(PosixZone(text) == nil, "\(text)") }
        // Changes of the next year that all come before the end of this one.
        let late = try #require(PosixZone("CET-1CEST,J1/-167,J2/-167"))
        for second in stride(from: Int64(4_070_908_800) - 400 * 86_400, to: 4_070_908_800, by: 3_600) {
            if let end = late.segment(at: second).end { #expect(end > second) }
        }
    }
}
