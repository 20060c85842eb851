import ReluxJournal
import ReluxTap
import ReluxWire

/// `relux journal`, for people and for programs.
enum JournalOutput {
    static func table(_ journals: [JournalListing], wide: Bool, _ style: TerminalStyle) -> [String] {
        guard !journals.isEmpty else { return [] }
        var table = TextTable(["MODULE", "SEGMENTS", "BYTES", "EPOCH", "QUARANTINED"] + (wide ? ["LAST PID", "DIRECTORY"] : []))
        for journal in journals {
            table.add(
                [
                    journal.module.rawValue, "\(journal.segments.count)", "\(journal.allocated)", journal.epoch.map { "\($0)" } ?? "-",
                    "\(journal.quarantined)",
                ] + (wide ? [journal.processID.map { "\($0)" } ?? "-", journal.directory] : []))
        }
        return table.lines { row, _, text in row == 0 ? style(text, .dim) : text }
    }

    static func json(_ journal: JournalListing) -> JSONValue {
        .object([
            .init("module", .string(journal.module.rawValue)), .init("segments", number(journal.segments.count)),
            .init("bytes", number(journal.allocated)), .init("epoch", journal.epoch.map { number($0.rawValue) } ?? .null),
            .init("lastPid", journal.processID.map { number($0) } ?? .null), .init("quarantined", number(journal.quarantined)),
            .init("directory", .string(journal.directory)),
        ])
    }

    static func lines(_ report: JournalReport) -> [String] {
        var facts = TextTable(["module", report.module.rawValue])
        facts.add(["directory", report.directory])
        facts.add(["incarnation", hex(report.incarnation)])
        facts.add(["state", verdict(report)])
        facts.add(["last batch", "\(report.numbers.batch)"])
        facts.add(["last position", LifeNumber.text(of: report.numbers.position)])
        if report.tornBytes > 0 { facts.add(["torn tail", "\(report.tornBytes) bytes, cut by the next writer"]) }
        if !report.quarantined.isEmpty { facts.add(["quarantine", report.quarantined.joined(separator: ", ")]) }
        var lines = facts.lines()
        if !report.segments.isEmpty {
            var segments = TextTable(["SEGMENT", "EPOCH", "BATCHES", "RECORDS", "BYTES"])
            for segment in report.segments {
                segments.add([
                    "\(segment.number)", "\(segment.epoch)", "\(segment.batchCount)", "\(segment.recordCount)", "\(segment.byteCount)",
                ])
            }
            lines += [""] + segments.lines()
        }
        if !report.streams.isEmpty {
            var streams = TextTable(["TOPIC", "FIRST", "LAST", "RECORDS", "BYTES"])
            for stream in report.streams {
                let hasNumbers = stream.first > 0
                streams.add([
                    stream.topic.rawValue, hasNumbers ? LifeNumber.text(of: stream.first) : "-", hasNumbers ? LifeNumber.text(of: stream.last) : "-",
                    "\(stream.recordCount)", "\(stream.byteCount)",
                ])
            }
            lines += [""] + streams.lines()
        }
        for hole in report.holes { lines += [""] + self.lines(hole) }
        for fault in report.faults { lines += ["", "damaged   \(fault)"] }
        return lines
    }

    static func lines(_ hole: HoleRecord) -> [String] {
        var lines = ["HOLE      \(hole.reason)\(hole.jumps ? ", all sequences jump by \(JournalNumbers.jump)" : "")"]
        lines += hole.lost.map { "lost      \($0.topic) \(text($0.sequences))" }
        if let positions = hole.lostPositions { lines.append("lost      positions \(text(positions))") }
        return lines
    }

    static func line(_ batch: JournalBatch) -> String {
        let notes = batch.notes.map { note in
            switch note {
            case .checkpoint(let record): "CHECKPOINT epoch \(record.epoch)"
            case .hole: "HOLE"
            case .seal: "SEAL"
            }
        }
        let runs = batch.runs.map { run in "\(run.topic)\(run.sequences.map { " " + text($0) } ?? "") (\(run.recordCount))" }
        return "\(batch.place)  #\(batch.number)  \(batch.byteCount) bytes  " + (notes + runs).joined(separator: ", ")
    }

    static func verdict(_ report: JournalReport, _ style: TerminalStyle) -> [String] {
        let isSound = report.faults.isEmpty
        return [
            "\(report.module)  " + style(verdict(report), isSound ? .green : .red)
                + "  \(report.segments.count.counted("segment"))  \(report.segments.reduce(0) { $0 + $1.recordCount }.counted("record"))"
        ] + report.faults.map { "  \($0)" }
    }

    private static func verdict(_ report: JournalReport) -> String {
        guard report.faults.isEmpty else { return "damaged" }
        let holes = report.holes.isEmpty ? "" : ", \(report.holes.count.counted("hole"))"
        return (report.isSealed ? "sound, sealed" : "sound") + holes
    }

    static func json(_ report: JournalReport, batches: [JournalBatch]?) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("schema", "relux.journal/1"), .init("module", .string(report.module.rawValue)),
            .init("directory", .string(report.directory)), .init("incarnation", .string(hex(report.incarnation))),
            .init("sound", .bool(report.faults.isEmpty)), .init("sealed", .bool(report.isSealed)),
            .init("lastBatch", number(report.numbers.batch)),
        ] + JSONValue.members(ofNumber: report.numbers.position, as: "lastPosition") + [
            .init("tornBytes", number(report.tornBytes)),
            .init(
                "segments",
                .array(
                    report.segments.map { segment in
                        .object([
                            .init("number", number(segment.number)), .init("file", .string(segment.file)),
                            .init("epoch", number(segment.epoch.rawValue)), .init("created", number(segment.createdMilliseconds)),
                            .init("batches", number(segment.batchCount)), .init("records", number(segment.recordCount)),
                            .init("bytes", number(segment.byteCount)),
                        ])
                    })),
            .init(
                "streams",
                .array(
                    report.streams.map { stream in
                        .object([.init("topic", .string(stream.topic.rawValue))] + range(stream.first, stream.last) + [
                            .init("records", number(stream.recordCount)), .init("bytes", number(stream.byteCount)),
                        ])
                    })),
            .init(
                "holes",
                .array(
                    report.holes.map { hole in
                        .object([
                            .init("reason", .string("\(hole.reason)")), .init("jumps", .bool(hole.jumps)),
                            .init("lost", .array(hole.lost.map(json))), .init("lostPositions", positions(hole.lostPositions)),
                        ])
                    })),
            .init("faults", .array(report.faults.map(json))),
            .init("quarantined", .array(report.quarantined.map { .string($0) })),
        ]
        if let batches {
            members.append(
                .init(
                    "batches",
                    .array(
                        batches.map { batch in
                            .object([
                                .init("place", .string("\(batch.place)")), .init("number", number(batch.number)),
                                .init("bytes", number(batch.byteCount)), .init("epoch", number(batch.epoch.rawValue)),
                                .init(
                                    "runs",
                                    .array(
                                        batch.runs.map { run in
                                            .object([
                                                .init("topic", .string(run.topic.rawValue)), .init("records", number(run.recordCount)),
                                            ] + range(run.sequences?.lowerBound ?? 0, run.sequences?.upperBound ?? 0))
                                        })),
                            ])
                        })))
        }
        return .object(members)
    }

    private static func json(_ fault: JournalError) -> JSONValue {
        .object([
            .init("code", .string("journal.\(fault.code)")), .init("file", .string(fault.file)),
            .init("position", fault.position.map { number($0) } ?? .null), .init("reason", .string(fault.reason)),
            .init("remedy", .string(fault.remedy)),
        ])
    }

    private static func json(_ lost: HoleRecord.Lost) -> JSONValue {
        .object([.init("topic", .string(lost.topic.rawValue))] + range(lost.sequences.lowerBound, lost.sequences.upperBound))
    }

    static func json(_ step: JournalRepair.Step) -> JSONValue {
        .object([
            .init("action", .string(step.action.rawValue)), .init("file", .string(step.file)),
            .init("position", number(step.position)), .init("reason", .string(step.reason)),
            .init("keptBatches", number(step.keptBatches)), .init("lost", .array(step.lost.map(json))),
            .init("lostPositions", positions(step.lostPositions)),
        ])
    }

    static func lines(_ step: JournalRepair.Step, isPlan: Bool) -> [String] {
        let verb =
            switch step.action {
            case .mended: "mend"
            case .replaced: "replace"
            case .removed: "remove"
            }
        let action = isPlan ? "PLAN  \(verb)" : step.action.rawValue
        var lines = ["\(action)  \(step.file), byte \(step.position): \(step.reason)"]
        if step.action == .mended { lines.append("kept      \(step.keptBatches) batches behind it") }
        lines += step.lost.map { "lost      \($0.topic) \(text($0.sequences))" }
        if let positions = step.lostPositions { lines.append("lost      positions \(text(positions))") }
        if step.action == .removed { lines.append("lost      all that stood in it") }
        return lines
    }

    private static func range(_ first: UInt64, _ last: UInt64) -> [JSONValue.Member] {
        JSONValue.members(ofNumber: first, as: "first") + JSONValue.members(ofNumber: last, as: "last")
    }

    private static func positions(_ lost: ClosedRange<UInt64>?) -> JSONValue { lost.map { .object(range($0.lowerBound, $0.upperBound)) } ?? .null }

    private static func number(_ value: some BinaryInteger) -> JSONValue { .integer(Int128(value)) }
    private static func text(_ range: ClosedRange<UInt64>) -> String { LifeNumber.text(of: range) }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
