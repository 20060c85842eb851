import Foundation
import Relux
import ReluxTap
import ReluxWire

/// `relux schedule ls`, for people and for programs.
enum ScheduleOutput {
    /// By the clock of this machine, which the modules go by too.
    static var now: Relux.WallTime { Relux.WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    private static let lateness = Duration.seconds(60)

    static func table(_ schedules: [FoundSchedule], at now: Relux.WallTime, wide: Bool, _ style: TerminalStyle) -> [String] {
        guard !schedules.isEmpty else { return [] }
        let states = schedules.map { state(of: $0.record, at: now) }
        let areAllRunning = states.allSatisfy { $0 == .running }
        var table = TextTable(["MODULE", "SCHEDULE", "RULE", "LAST", "EFFECT", "NEXT"] + (areAllRunning ? [] : ["STATE"]))
        for (schedule, state) in zip(schedules, states) {
            let (record, last) = (schedule.record, Relux.WallTime(milliseconds: schedule.record.last))
            let next = record.next.map { Relux.WallTime(milliseconds: $0) }
            table.add(
                [
                    schedule.module.rawValue, record.scheduleName, TerminalText.escaped(record.rule),
                    schedule.effect == nil ? "-" : wide ? "\(last)" : "\(StatusOutput.ageText(now - last)) ago",
                    schedule.effect.map { "\($0)" } ?? "-",
                    record.isPaused ? "-" : next.map { wide ? "\($0)" : text(of: $0 - now) } ?? "-",
                ] + (areAllRunning ? [] : [state.rawValue]))
        }
        return table.lines { row, _, text in row == 0 ? style(text, .dim) : text }
    }

    private static func text(of span: Duration) -> String {
        span < .zero ? "\(StatusOutput.ageText(.zero - span)) ago" : "in \(StatusOutput.ageText(span))"
    }

    enum State: String { case running, paused, late, over }

    static func state(of record: ScheduleRecord, at now: Relux.WallTime) -> State {
        if record.isPaused { return .paused }
        guard let next = record.next else { return .over }
        return now - Relux.WallTime(milliseconds: next) > lateness ? .late : .running
    }

    static func json(_ schedule: FoundSchedule, at now: Relux.WallTime) -> JSONValue {
        let record = schedule.record
        let effect = schedule.effect.map { JSONValue.members(of: $0, as: "effect") } ?? [.init("effect", .null)]
        return .object(
            [
                .init("module", .string(schedule.module.rawValue)), .init("schedule", .string(record.scheduleName)),
                .init("rule", .string(record.rule)), .init("state", .string(state(of: record, at: now).rawValue)),
                .init("lastMilliseconds", schedule.effect == nil ? .null : .integer(Int128(record.last))),
                .init("nextMilliseconds", record.next.map { .integer(Int128($0)) } ?? .null),
            ] + effect)
    }
}
