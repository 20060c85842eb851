import Foundation
import Relux
import ReluxTap
import ReluxWire

/// `relux schedule ls`, for people and for programs.
enum ScheduleOutput {
    /// By the clock of this machine, which the modules go by too.
    static var now: Relux.WallTime { Relux.WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    private static let lateness = Duration.seconds(60)

    /// - Parameter wide: with whole times and rules; else rules give way where a line would have over 80 columns.
    static func table(_ schedules: [FoundSchedule], at now: Relux.WallTime, wide: Bool, _ style: TerminalStyle) -> [String] {
        guard !schedules.isEmpty else { return [] }
        let rules = schedules.map { TerminalText.escaped($0.record.rule) }
        let longest = rules.map(\.count).max() ?? 0
        let lines = lines(schedules, rules, at: now, wide: wide, style: .plain)
        let excess = wide ? 0 : (lines.map(\.count).max() ?? 0) - columns
        guard excess > 0 || style != .plain else { return lines }
        let limit = max(shortestRule, longest - max(0, excess))
        return self.lines(schedules, rules.map { $0.count > limit ? $0.prefix(limit - 1) + "…" : $0 }, at: now, wide: wide, style: style)
    }

    private static let columns = 80
    private static let shortestRule = 12

    private static func lines(
        _ schedules: [FoundSchedule], _ rules: [String], at now: Relux.WallTime, wide: Bool, style: TerminalStyle
    ) -> [String] {
        let states = schedules.map { state(of: $0.record, at: now) }
        let areAllRunning = states.allSatisfy { $0 == .running }
        var table = TextTable(["MODULE", "SCHEDULE", "RULE", "LAST", "EFFECT", "NEXT"] + (areAllRunning ? [] : ["STATE"]))
        for ((schedule, rule), state) in zip(zip(schedules, rules), states) {
            let (record, last) = (schedule.record, Relux.WallTime(milliseconds: schedule.record.fired))
            let next = record.next.map { Relux.WallTime(milliseconds: $0) }
            table.add(
                [
                    schedule.module.rawValue, TerminalText.escaped(record.scheduleName), rule,
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
                .init("lastMilliseconds", schedule.effect == nil ? .null : .integer(Int128(record.fired))),
                .init("nextMilliseconds", record.next.map { .integer(Int128($0)) } ?? .null),
            ] + effect)
    }
}
