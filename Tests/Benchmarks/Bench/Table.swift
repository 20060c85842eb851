import Relux

/// The lines of one run as a table, ours beside raw libzmq.
enum Table {
    /// Reads lines of JSON from standard input.
    static func run() throws {
        var found: [String: JSONValue] = [:]
        var hosts: [JSONValue] = []
        while let line = readLine() {
            guard let value = try? JSONValue(parsing: line), let name = value["benchmark"]?.string else { continue }
            if name == "relux.host" { hosts.append(value) } else { found[name] = value }
        }
        func number(_ benchmark: String, _ key: String) -> Double? { found[benchmark]?[key]?.double }
        row("what", "unit", "ours", "raw", "ours / raw")
        for (what, unit, key, name) in [
            ("one way, durable", "effects/s", "rate", "oneway"), ("one way, sender's processor time", "us each", "cpu_us_sender", "oneway"),
            ("one way to three, durable", "effects/s", "rate", "oneway.3"),
            ("round trip, median", "us", "p50_us", "roundtrip"), ("round trip, p99", "us", "p99_us", "roundtrip"),
            ("round trip, p99.9", "us", "p999_us", "roundtrip"),
        ] {
            let (ours, raw) = (number("relux.\(name)", key), number("raw.\(name)", key))
            guard ours != nil || raw != nil else { continue }
            let ratio = ours.flatMap { ours in raw.map { text(ours / $0, digits: 2) } }
            row(what, unit, text(ours), text(raw), ratio ?? "")
        }
        if let codable = number("relux.oneway.codable", "rate") {
            let raw = number("raw.oneway", "rate")
            row("one way, durable, plain Codable", "effects/s", text(codable), text(raw), raw.map { text(codable / $0, digits: 2) } ?? "")
        }
        for way in ["encode", "decode"] {
            guard let own = number("relux.coding", "\(way)_generated_ns"), let codable = number("relux.coding", "\(way)_codable_ns") else { continue }
            row("\(way) an effect, generated", "ns", text(own), "", "")
            row("\(way) an effect, plain Codable", "ns", text(codable), "", "")
            row("\(way) an effect, generated is faster by", "times", text(codable / own), "", "")
        }
        if let lost = number("relux.oneway.receiver", "lost") {
            row("one way, lost", "effects", text(lost), text(number("raw.oneway", "lost")), "")
        }
        if let transient = number("relux.durability.transient", "rate"), let process = number("relux.durability.process", "rate") {
            row("journaling against transient", "% more", text(max(0, (transient / process - 1) * 100)), "", "")
        }
        for (what, unit, benchmark, key) in [
            ("one way, coded before, transient", "effects/s", "relux.durability.transient", "rate"),
            ("one way, coded before, process", "effects/s", "relux.durability.process", "rate"),
            ("one way, coded before, machine", "effects/s", "relux.durability.machine", "rate"),
            ("one way, machine, waits for the disk", "per second", "relux.durability.machine", "fdatasyncs_per_second"),
            ("awaited, transient, median", "us", "relux.durability.transient.awaited", "p50_us"),
            ("awaited, process, median", "us", "relux.durability.process.awaited", "p50_us"),
            ("awaited, machine, median", "us", "relux.durability.machine.awaited", "p50_us"),
            ("reading a journal", "records/s", "relux.replay", "rate"),
            ("repair of a lost tail", "ms", "relux.repair", "milliseconds"),
            ("awaited action, in process", "us each", "relux.local.action", "mean_us"),
            ("awaited effect, in process", "us each", "relux.local.effect", "mean_us"),
            ("awaited effect, in process, on a bus", "us each", "relux.local.bus-effect", "mean_us"),
            ("cluster, start to all modules ready", "ms", "relux.boot", "ready_ms"),
            ("host, start to ready, median", "ms", "relux.hosts", "ready_ms_median"),
            ("host, start to ready, slowest", "ms", "relux.hosts", "ready_ms_max"),
            ("host, idle memory (PSS), median", "KiB", "relux.hosts", "pss_kib_median"),
            ("host, idle memory (PSS), largest", "KiB", "relux.hosts", "pss_kib_max"),
            ("broker, idle memory (PSS)", "KiB", "relux.hosts", "broker_pss_kib"),
            ("crash to ready, median", "ms", "relux.crash", "ready_ms_median"),
            ("crash to ready, slowest", "ms", "relux.crash", "ready_ms_max"),
            ("upgrade pause, p50", "ms", "relux.handover", "pause_ms_p50"),
            ("upgrade pause, p99", "ms", "relux.handover", "pause_ms_p99"),
            ("longest effect during an upgrade, p50", "ms", "relux.handover", "wait_ms_p50"),
            ("longest effect during an upgrade, p99", "ms", "relux.handover", "wait_ms_p99"),
            ("upgrades, effects lost", "effects", "relux.handover", "lost"),
            ("modules registered", "modules", "relux.modules", "modules"),
            ("modules registered, in", "ms", "relux.modules", "ready_ms"),
            ("modules registered, broker's memory", "KiB", "relux.modules", "broker_pss_kib"),
        ] {
            guard let value = number(benchmark, key) else { continue }
            row(what, unit, text(value), "", "")
        }
        for host in hosts {
            let module = host["module"]?.string ?? ""
            row("\(module), start to ready", "ms", text(host["ready_ms"]?.double), "", "")
            row("\(module), idle memory (PSS)", "KiB", text(host["pss_kib"]?.double), "", "")
        }
    }

    private static func row(_ cells: String...) {
        let widths = [40, 10, 12, 12, 10]
        let padded = zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index < 2 ? cell.0 + space : space + cell.0
        }
        print(padded.joined(separator: "  "))
    }

    private static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return text(value, digits: value >= 1000 ? 0 : value >= 10 ? 1 : 2)
    }

    private static func text(_ value: Double, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let rounded = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return "\(rounded)" }
        let fraction = "\(rounded % scale)"
        return "\(rounded / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

extension JSONValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
