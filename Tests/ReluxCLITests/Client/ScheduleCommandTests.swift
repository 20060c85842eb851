import ArgumentParser
import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxTap
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

@Suite struct ScheduleCommandTests {
    private static let now = Relux.WallTime(2026, 11, 29, 12)

    /// `daily` has had a tick, `poll` is paused, `once` is over, `hourly` is late; `gone` is not there any more.
    private static func records() -> [WireRecord] {
        func record(_ name: String, _ rule: String, _ last: Duration, next: Duration?, position: UInt64 = 0, isPaused: Bool = false, isRemoved: Bool = false)
            -> WireRecord
        {
            .schedule(
                ScheduleRecord(
                    scheduleName: name, rule: rule, last: (now + last).milliseconds, next: next.map { (now + $0).milliseconds }, isPaused: isPaused,
                    isRemoved: isRemoved, position: position))
        }
        return [
            record("daily", "cron 0 8 * * MON-FRI Europe/Berlin", .seconds(-3 * 3_600), next: .seconds(21 * 3_600), position: 3 << 40 | 7),
            record("poll", "every 30s", .seconds(-90), next: .seconds(-60), position: 3 << 40 | 9, isPaused: true),
            record("once", "at 2026-11-29T11:00:00Z", .seconds(-3_600), next: nil, position: 3 << 40 | 8),
            record("hourly", "every 1h, missed: skip", .seconds(-2 * 3_600), next: .seconds(-3_600)),
            record("gone", "every 1s", .seconds(-60), next: nil, isRemoved: true),
        ]
    }

    private func books() throws -> SampleBooks {
        let books = try SampleBooks()
        try books.write([(ScheduleRecord.topic, Self.records())], of: "Notes", epoch: 2)
        return books
    }

    private func found(_ books: SampleBooks) throws -> [FoundSchedule] {
        let options = try CommonOptions.parse(["--run", books.run.path])
        return try CommandSession(console: Console(out: { _ in }, talk: { _ in }), options: options).schedules().found
    }

    @Test func `the list shows the last tick with its effect, and the next, within 80 columns`() throws {
        let found = try found(books())
        try expectGolden(
            ScheduleOutput.table(found, at: Self.now, wide: false, .plain).joined(separator: "\n"), "ScheduleCommandTests/ls")
        try expectGolden(
            ScheduleOutput.table(found, at: Self.now, wide: true, .plain).joined(separator: "\n"), "ScheduleCommandTests/ls-wide")
        try expectGolden(found.map { ScheduleOutput.json($0, at: Self.now).text() }.joined(separator: "\n"), "ScheduleCommandTests/ls-json")
        // While all run there is no column for that.
        let running = found.filter { $0.record.scheduleName == "daily" }
        #expect(ScheduleOutput.table(running, at: Self.now, wide: false, .plain).first?.contains("STATE") == false)
    }

    @Test func `ls reads the journals, by module, filter and format`() throws {
        let books = try books()
        #expect(books.output(["schedule", "ls", "-o", "name"]).out == "daily\nhourly\nonce\npoll")
        #expect(books.output(["schedule", "ls", "--filter", "state=paused", "-o", "name"]).out == "poll")
        let none = books.output(["schedule", "ls", "--module", "Auth"])
        #expect(none.status == .ok && none.talk.contains("no module has a schedule"), "\(none)")
        let unknown = books.output(["schedule", "ls", "--module", "Nots"])
        #expect(unknown.status == .notFound && unknown.talk.contains("did you mean 'Notes'?"), "\(unknown)")
        #expect(books.output(["schedule", "ls", "--json"]).out.hasPrefix("{\"schema\":\"relux.schedules/1\",\"schedules\":[{\"module\":\"Notes\",\"schedule\":\"daily\""))
    }

    @Test(arguments: ["fire", "pause", "resume"])
    func `an order reaches the module's process, a rehearsal does not`(deed: String) throws {
        let books = try books()
        let orders = Mutex<[ScheduleOrder]>([])
        let broker = try FakeBroker(run: books.run.path) { body in
            switch body {
            case .status: return Self.status
            case .schedule("Notes", let order):
                orders.withLock { $0.append(order) }
                return .done(lines: ["\(order.deed) it was"])
            default: return nil
            }
        }
        let rehearsed = books.output(["schedule", deed, "Notes", "poll", "--dry-run"])
        #expect(rehearsed.status == .ok && rehearsed.out.hasSuffix("Notes poll"), "\(rehearsed)")
        #expect(orders.withLock { $0.isEmpty })
        let done = books.output(["schedule", deed, "Notes", "poll"])
        #expect(done.status == .ok && done.out == "\(deed) it was", "\(done)")
        #expect(orders.withLock { $0.map(\.schedule) } == ["poll"] && orders.withLock { $0.first?.deed.rawValue } == deed)
        let unknown = books.output(["schedule", deed, "Notes", "pol", "--dry-run"])
        #expect(unknown.status == .notFound && unknown.talk.contains("did you mean 'poll'?"), "\(unknown)")
        let nobody = books.output(["schedule", deed, "Nots", "poll"])
        #expect(nobody.status == .notFound && nobody.talk.contains("did you mean 'Notes'?"), "\(nobody)")
        let absent = books.output(["schedule", deed, "Auth", "poll", "--timeout", "100ms"])
        #expect(absent.status == .refused && absent.talk.contains("Auth has no process that could \(deed) poll (quarantined"), "\(absent)")
        withExtendedLifetime(broker) {}
    }

    private static let status = ClientResponse.Body.status(
        ClusterStatus(
            brokerPid: 1, supervisorPid: 2, phase: .open, picture: ClusterPicture(version: 1, members: [], hosts: []),
            modules: [
                Demo.module("Auth", "domain", ModuleState(.quarantined, why: "5 deaths"), pid: 1),
                Demo.module("Notes", "domain", ModuleState(.ready), pid: 2),
            ], notes: []))
}
