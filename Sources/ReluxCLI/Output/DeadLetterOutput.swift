import Foundation
import ReluxSupervisor
import ReluxTap
import ReluxWire

/// `relux dlq`, for people and for programs.
enum DeadLetterOutput {
    private static let reasonLength = 60

    static func table(_ letters: [DeadLetter], wide: Bool, _ style: TerminalStyle) -> [String] {
        guard !letters.isEmpty else { return [] }
        var table = TextTable(["ID", "EFFECT", "MODULE", "DEATHS", "TIME", "STATE", "REASON"])
        for letter in letters {
            var reason = letter.record.reason.split(separator: "\n").first.map(String.init) ?? ""
            if !wide, reason.count > reasonLength { reason = reason.prefix(reasonLength - 1) + "…" }
            table.add([
                "\(letter.record.effect)", letter.effect, letter.module.rawValue, "\(letter.record.deaths)",
                time(letter.record.wallTimeMilliseconds), "\(letter.record.resolution)", TerminalText.escaped(reason),
            ])
        }
        return table.lines { row, _, text in row == 0 ? style(text, .dim) : text }
    }

    static func lines(_ letter: DeadLetter, _ crashes: [(path: String, report: CrashReport)]) -> [String] {
        let record = letter.record
        var facts = TextTable(["id", "\(record.effect)"])
        facts.add(["effect", letter.effect])
        facts.add(["module", letter.module.rawValue])
        facts.add(["state", "\(record.resolution)"])
        facts.add(["deaths", "\(record.deaths)"])
        facts.add(["time", time(record.wallTimeMilliseconds)])
        facts.add(["reason", TerminalText.escaped(record.reason)])
        facts.add(["payload", payload(record)?.text() ?? "<\(record.payload.count) bytes that are no CBOR>"])
        var lines = facts.lines()
        guard let last = crashes.first else { return lines }
        lines += ["", "crash    \(last.report.status)" + (last.report.headline.map { ": \(TerminalText.escaped($0))" } ?? "")]
        if let message = last.report.message {
            lines += message.split(separator: "\n").enumerated()
                .map { ($0.offset == 0 ? "message  " : "         ") + TerminalText.escaped(String($0.element)) }
        }
        lines += last.report.topFrames.enumerated().map { "  #\($0.offset) \(TerminalText.escaped($0.element))" }
        lines += crashes.map { "report   \($0.path)" }
        return lines
    }

    static func json(_ letter: DeadLetter, crashes: [(path: String, report: CrashReport)]? = nil) -> JSONValue {
        let record = letter.record
        var members: [JSONValue.Member] = crashes == nil ? [] : [.init("schema", "relux.deadLetter/1")]
        members += JSONValue.members(of: record.effect) + [
            .init("topic", .string(record.topic.rawValue)),
            .init("case", .string(record.caseName)), .init("module", .string(letter.module.rawValue)),
            .init("state", .string("\(record.resolution)")), .init("deaths", .integer(Int128(record.deaths))),
            .init("timeMilliseconds", .integer(Int128(record.wallTimeMilliseconds))), .init("reason", .string(record.reason)),
            .init("payload", payload(record) ?? .null),
        ]
        if let crashes {
            members.append(
                .init(
                    "crashes",
                    .array(
                        crashes.map { path, report in
                            .object([
                                .init("report", .string(path)), .init("status", .string(report.status)),
                                .init("cause", report.headline.map { .string($0) } ?? .null),
                                .init("message", report.message.map { .string($0) } ?? .null),
                                .init("topFrames", .array(report.topFrames.map { .string($0) })),
                            ])
                        })))
        }
        return .object(members)
    }

    /// Secrets in it are hidden.
    private static func payload(_ record: DeadRecord) -> JSONValue? {
        (try? CBORValue(decoding: record.payload)).map { JSONValue($0) }
    }

    private static func time(_ milliseconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
    }
}
