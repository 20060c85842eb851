import Relux

extension Table.Lines {
    private func row(_ what: String, _ unit: String, _ benchmark: String, _ key: String, goal: Goal? = nil) -> Row {
        Row(what, unit, number("relux.\(benchmark)", key), goal: goal)
    }

    private func raw(
        _ what: String, _ unit: String, _ benchmark: String, _ key: String, beside reference: String? = nil, goal: Goal? = nil
    ) -> Row {
        Row(what, unit, number("relux.\(benchmark)", key), raw: number("raw.\(reference ?? benchmark)", key), goal: goal)
    }

    var besideRaw: [Row] {
        [
            raw("one way, durable", "effects/s", "oneway", "rate", goal: .atLeast(timesRaw: 1)),
            Row("one way, the least that any implementation does", "effects/s", number("floor.oneway", "rate"), raw: number("raw.oneway", "rate")),
            Row("one way, durable, beside that least", "times", quotient(("relux.oneway", "rate"), by: ("floor.oneway", "rate"))),
            raw("one way, durable, plain Codable", "effects/s", "oneway.codable", "rate", beside: "oneway", goal: .atLeast(timesRaw: 0.2)),
            raw("one way, sender's processor time", "us each", "oneway", "cpu_us_sender"),
            Row("one way, lost", "effects", number("relux.oneway.receiver", "lost"), raw: number("raw.oneway", "lost"), goal: .atMost(0)),
            raw("one way to three, durable", "effects/s", "oneway.3", "rate"),
            raw("round trip, median", "us", "roundtrip", "p50_us", goal: .atMost(timesRaw: 2)),
            raw("round trip, p99", "us", "roundtrip", "p99_us"),
            raw("round trip, p99.9", "us", "roundtrip", "p999_us"),
        ] + besidePeers
    }

    private var besidePeers: [Row] {
        [("Redis Streams", "redis", 4.0), ("NATS JetStream", "nats", 6)].flatMap { name, peer, goal in
            [
                Row("one way, \(name)", "messages/s", number("\(peer).oneway", "rate")),
                Row("one way, durable, beside \(name)", "times", quotient(("relux.oneway", "rate"), by: ("\(peer).oneway", "rate")), goal: .atLeast(goal)),
                Row("request and answer, \(name), median", "us", number("\(peer).roundtrip", "p50_us")),
                Row(
                    "awaited, process, beside \(name), median", "times",
                    quotient(("relux.durability.process.awaited", "p50_us"), by: ("\(peer).roundtrip", "p50_us")), goal: .below(1)),
            ]
        }
    }

    var inOneMachine: [Row] {
        coding + [
            Row("journaling against transient", "% more", journaling, goal: .atMost(20)),
            row("one way, coded before, transient", "effects/s", "durability.transient", "rate"),
            row("one way, coded before, process", "effects/s", "durability.process", "rate"),
            row("one way, coded before, machine", "effects/s", "durability.machine", "rate"),
            row("one way, machine, waits for the disk", "per second", "durability.machine", "fdatasyncs_per_second"),
            row("awaited, transient, median", "us", "durability.transient.awaited", "p50_us"),
            row("awaited, process, median", "us", "durability.process.awaited", "p50_us"),
            row("awaited, machine, median", "us", "durability.machine.awaited", "p50_us"),
            row("reading a journal", "records/s", "replay", "rate"),
            row("repair of a lost tail", "ms", "repair", "milliseconds", goal: .below(250)),
            row("repair of a lost tail, repaired", "effects", "repair.receiver", "repaired"),
            row("repair of a lost tail, lost", "effects", "repair", "lost", goal: .atMost(0)),
            row("unsettled effect, memory beside its record", "bytes", "unsettled", "memory_bytes_beside_record", goal: .atMost(64)),
        ] + inProcess
    }

    private func quotient(_ figure: (String, String), by other: (String, String)) -> Double? {
        guard let figure = number(figure.0, figure.1), let other = number(other.0, other.1), other > 0 else { return nil }
        return figure / other
    }

    private var inProcess: [Row] {
        [
            Row("awaited effect, in process, the least that any implementation does, median", "us each", number("floor.durable-effect", "p50_us")),
            Row(
                "awaited effect, in process, durable, beside that least", "times",
                quotient(("relux.local.durable-effect", "p50_us"), by: ("floor.durable-effect", "p50_us"))),
        ] + [
            ("awaited action, in process", "action", Goal.atMost(2)), ("awaited effect, in process, transient", "effect", .atMost(2)),
            ("awaited effect, in process, on a bus", "bus-effect", nil), ("awaited effect, in process, durable", "durable-effect", .atMost(4)),
            ("awaited effect, in process, durable, Codable", "durable-effect.codable", .atMost(8)),
        ].flatMap { what, name, goal in
            [("median", "p50_us"), ("mean", "mean_us")].map { row("\(what), \($0)", "us each", "local.\(name)", $1, goal: goal) }
        }
    }

    private var coding: [Row] {
        ["encode", "decode"].flatMap { way -> [Row] in
            guard let own = number("relux.coding", "\(way)_generated_ns"), let codable = number("relux.coding", "\(way)_codable_ns") else { return [] }
            return [
                Row("\(way) an effect, generated", "ns", own),
                Row("\(way) an effect, plain Codable", "ns", codable),
                Row("\(way) an effect, generated is faster by", "times", codable / own),
            ]
        }
    }

    /// By how much an effect takes longer when both sides keep it.
    private var journaling: Double? {
        guard let transient = number("relux.durability.transient", "rate"), let process = number("relux.durability.process", "rate") else { return nil }
        return max(0, (transient / process - 1) * 100)
    }

    var ofCluster: [Row] {
        // A megabyte is a million bytes, and the kernel counts KiB.
        let (host, broker) = (Goal.atMost(5e6 / 1024), Goal.below(100e6 / 1024))
        return [
            row("cluster, start to all modules ready", "ms", "boot", "ready_ms"),
            row("one host, start to ready, median", "ms", "start", "ready_ms_median", goal: .atMost(30)),
            row("one host, start to ready, 90 %", "ms", "start", "ready_ms_p90"),
            row("one host, start to ready, slowest module", "ms", "start", "ready_ms_slowest_host", goal: .atMost(30)),
            row("one host, start to ready, processor time", "ms", "start", "cpu_ms_median"),
            row("all hosts at once, start to ready, median", "ms", "hosts", "ready_ms_median"),
            row("all hosts at once, slowest", "ms", "hosts", "ready_ms_max"),
            row("host, idle memory (PSS), median", "KiB", "hosts", "pss_kib_median", goal: host),
            row("host, idle memory (PSS), largest", "KiB", "hosts", "pss_kib_max", goal: host),
            row("broker, idle memory (PSS)", "KiB", "hosts", "broker_pss_kib"),
            row("idle host, of a core, median", "%", "idle", "host_cpu_percent_median", goal: .atMost(0.1)),
            row("idle host, wake-ups, median", "1/s", "idle", "host_wakeups_median", goal: .atMost(3)),
            row("idle broker, of a core", "%", "idle", "broker_cpu_percent", goal: .atMost(0.1)),
            row("idle broker, wake-ups", "1/s", "idle", "broker_wakeups", goal: .atMost(3)),
            row("idle supervisor, of a core", "%", "idle", "supervisor_cpu_percent", goal: .atMost(0.1)),
            row("idle supervisor, wake-ups", "1/s", "idle", "supervisor_wakeups", goal: .atMost(3)),
            row("idle host of 100, of a core, median", "%", "idle.100", "host_cpu_percent_median", goal: .atMost(0.1)),
            row("idle host of 100, wake-ups, median", "1/s", "idle.100", "host_wakeups_median", goal: .atMost(3)),
            row("idle broker of 100 hosts, of a core", "%", "idle.100", "broker_cpu_percent", goal: .atMost(0.1)),
            row("idle broker of 100 hosts, wake-ups", "1/s", "idle.100", "broker_wakeups", goal: .atMost(3)),
            row("crash to ready, median", "ms", "crash", "ready_ms_median", goal: .below(150)),
            row("crash to ready, slowest", "ms", "crash", "ready_ms_max", goal: .below(150)),
            row("crash to ready, of it the start, median", "ms", "crash", "start_ms_median"),
            row("upgrade pause, p50", "ms", "handover", "pause_ms_p50"),
            row("upgrade pause, p99", "ms", "handover", "pause_ms_p99", goal: .below(100)),
            row("longest effect during an upgrade, p50", "ms", "handover", "wait_ms_p50"),
            row("longest effect during an upgrade, p99", "ms", "handover", "wait_ms_p99"),
            row("upgrades, effects lost", "effects", "handover", "lost", goal: .atMost(0)),
            row("2,000 clients that leave answers unread, another's status, p99", "ms", "clients", "unread_ms_p99", goal: .below(100)),
            row("400 messages of 1.7 MiB, another client's status, p50", "ms", "clients", "large_ms_p50"),
            row("400 messages of 1.7 MiB, another client's status, p99", "ms", "clients", "large_ms_p99", goal: .below(100)),
            row("after both, broker's memory at its peak", "KiB", "clients", "broker_peak_kib", goal: .below(200 * 1024)),
            row("modules registered", "modules", "modules", "modules", goal: .atLeast(1000)),
            row("modules registered, in", "ms", "modules", "ready_ms", goal: .below(30_000)),
            row("modules registered, broker's memory", "KiB", "modules", "broker_pss_kib", goal: broker),
        ]
    }

    var perHost: [Row] {
        hosts.flatMap { host in
            let module = host["module"]?.string ?? ""
            let one = alone.first { $0["module"] == host["module"] }
            return [
                Row("\(module), start to ready, all at once", "ms", host["ready_ms"]?.double),
                Row("\(module), start to ready, alone", "ms", one?["ready_ms"]?.double),
                Row("\(module), idle memory (PSS)", "KiB", host["pss_kib"]?.double),
            ]
        }
    }
}
