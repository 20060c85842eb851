import Relux
import ReluxControl
import ReluxOutput
import ReluxTap
import ReluxWire

/// `relux status` and `relux module ls`, for people and for programs.
enum StatusOutput {
    /// A trouble is a column as soon as one module has it; a quiet cluster fits a terminal of 80 columns.
    private static let troubles: [(title: String, count: @Sendable (ClusterStatus.Module) -> UInt64)] = [
        ("FAILED", { $0.counters.failed }), ("REFUSED", { $0.counters.refused }), ("LOST", { $0.counters.lost }),
    ]

    private struct Column {
        let title: String
        /// The lowest ones give way where a line would be too long; nil for those that never do.
        var rank: Int?
        let cell: (ClusterStatus.Module) -> String
    }

    /// The width that a table keeps to unless it is asked for all.
    private static let width = 80

    static func table(_ status: ClusterStatus, wide: Bool, style: TerminalStyle) -> [String] {
        let troubles = troubles.filter { column in wide || status.modules.contains { column.count($0) > 0 } }
        var columns = [
            Column(title: "MODULE") { $0.id.rawValue }, Column(title: "STATE") { $0.state.phase.rawValue },
            Column(title: "RESTARTS") { "\($0.restarts)" }, Column(title: "AGE") { age($0, status) },
            Column(title: "PID", rank: 4) { $0.pid > 0 ? "\($0.pid)" : "-" },
            Column(title: "VERSION", rank: 3) { $0.version.isEmpty ? "-" : $0.build ?? $0.version },
            Column(title: "EMITTED", rank: 1) { "\($0.counters.emitted)" }, Column(title: "HANDLED", rank: 2) { "\($0.counters.handled)" },
        ]
        columns += troubles.map { trouble in Column(title: trouble.title) { "\(trouble.count($0))" } }
        if wide {
            columns += [
                Column(title: "KIND") { $0.kind }, Column(title: "READY") { $0.readyMilliseconds > 0 ? "\($0.readyMilliseconds)ms" : "-" },
                Column(title: "IN FLIGHT") { "\($0.counters.inFlight)" }, Column(title: "GAPS") { "\($0.counters.gaps)" },
                Column(title: "HOST") { $0.host.rawValue }, Column(title: "EPOCH") { "\($0.epoch)" },
                Column(title: "IMPORTS") { $0.imports.isEmpty ? "-" : $0.imports.joined(separator: ",") }, Column(title: "DIRECTORY") { $0.directory },
            ]
        } else {
            let spare = spare(columns, status.modules)
            columns.removeAll { spare.contains($0.title) }
        }
        var table = TextTable(columns.map(\.title))
        for module in status.modules { table.add(columns.map { $0.cell(module) }) }
        return table.lines { row, column, text in
            if row == 0 { return style(text, .dim) }
            guard column == 1 else { return text }
            return style(text, ink(of: text))
        }
    }

    /// The columns that give way so that the rest keeps to the width.
    private static func spare(_ columns: [Column], _ modules: [ClusterStatus.Module]) -> Set<String> {
        let widths = columns.map { column in modules.map { column.cell($0).count }.max().map { max($0, column.title.count) } ?? column.title.count }
        var spare: Set<String> = []
        var total = widths.reduce(0, +) + 2 * (columns.count - 1)
        let givingWay = columns.enumerated().filter { $0.element.rank != nil }.sorted { ($0.element.rank ?? 0) < ($1.element.rank ?? 0) }
        for (index, column) in givingWay where total > width {
            spare.insert(column.title)
            total -= widths[index] + 2
        }
        return spare
    }

    /// How long the module's process has lived, when it is the supervisor's child here; `-` for any other.
    private static func age(_ module: ClusterStatus.Module, _ status: ClusterStatus) -> String {
        guard module.pid > 0, let facts = ProcessFiles.facts(of: module.pid), facts.parent == status.supervisorPid else { return "-" }
        return ProcessFiles.age(of: facts).map(ageText) ?? "-"
    }

    /// The largest unit of which there are two or more, as in `90s`, `5m`, `47h`, `3d`.
    static func ageText(_ age: Duration) -> String {
        let seconds = age.components.seconds
        let units: KeyValuePairs<String, Int64> = ["d": 86_400, "h": 3600, "m": 60]
        let (name, size) = units.first { seconds >= 2 * $0.value }.map { ($0.key, $0.value) } ?? ("s", 1)
        return "\(seconds / size)\(name)"
    }

    /// A line for each module that says why it is in its state.
    static func reasons(_ status: ClusterStatus) -> [String] {
        status.modules.compactMap { module in
            let why = why(module)
            return why.isEmpty ? nil : "\(module.id) \(module.state.phase.rawValue): \(why)"
        }
    }

    private static func why(_ module: ClusterStatus.Module) -> String {
        TerminalText.escaped([module.state.why, module.handover ?? ""].filter { !$0.isEmpty }.joined(separator: "; "))
    }

    /// `8/8 ready  phase open  broker 4711  supervisor 4710`
    static func summary(_ status: ClusterStatus) -> String {
        let ready = status.modules.count { $0.state.phase == .ready }
        let deaths = status.brokerDeaths == 0 ? "" : " (died \(status.brokerDeaths.counted("time")))"
        return "\(ready)/\(status.modules.count) ready  phase \(status.phase.rawValue)  broker \(status.brokerPid)\(deaths)  supervisor "
            + (status.supervisorPid > 0 ? "\(status.supervisorPid)" : "none")
    }

    /// `the ingress refused 3: ingress-closed Auth.Business.Effect.login 3`; nil when it has refused nothing.
    static func ingress(_ status: ClusterStatus) -> String? {
        guard let refused = status.refusedAtIngress else { return nil }
        let parts = refused.map { TerminalText.escaped("\($0.reason) \($0.effect)") + " \($0.count)" }
        return "the ingress refused \(refused.reduce(0) { $0 &+ $1.count }): \(parts.joined(separator: ", "))"
    }

    static func json(_ refusal: RefusalCount) -> JSONValue {
        .object([
            .init("reason", .string(refusal.reason)), .init("effect", .string(refusal.effect)), .init("site", .string(refusal.site)),
            .init("count", .integer(Int128(refusal.count))), .init("message", .string(refusal.message)),
        ])
    }

    static func json(_ status: ClusterStatus, run: String) -> JSONValue {
        .object([
            .init("schema", "relux.status/1"), .init("run", .string(run)), .init("phase", .string(status.phase.rawValue)),
            .init("brokerPid", .integer(Int128(status.brokerPid))),
            .init("supervisorPid", .integer(Int128(status.supervisorPid))),
            .init("brokerDeaths", .integer(Int128(status.brokerDeaths))),
            .init("modules", .array(status.modules.map { json($0, in: status.picture) })),
            .init(
                "hosts",
                .array(
                    status.picture.hosts.map { host in
                        .object([
                            .init("id", .string(host.id.rawValue)), .init("endpoint", .string(host.endpoint)),
                            .init("tapEndpoint", .string(host.tapEndpoint)),
                        ])
                    })),
            .init("refusedAtIngress", .array((status.refusedAtIngress ?? []).map { json($0) })),
            .init("notes", .array(status.noteLines.map { .string($0) })),
            .init(
                "barriers",
                .array(
                    status.barriers.map { barrier in
                        .object([
                            .init("module", .string(barrier.module.rawValue)), .init("open", .bool(barrier.isOpen)),
                            .init("stuck", .bool(barrier.isStuck)), .init("text", .string(barrier.text)),
                        ] + (barrier.unknownMode.map { [.init("unknownMode", .string($0.mode))] } ?? []))
                    })),
        ] + (status.unloaded.map { [.init("unloaded", .array($0.map { .string($0.rawValue) }))] } ?? []))
    }

    /// Lines on what keeps the start from being over, and on what modules with a barrier do since it is.
    static func barriers(_ status: ClusterStatus) -> [String] {
        status.barriers.flatMap { barrier in
            let text =
                !barrier.isOpen
                ? "start: the barrier of \(barrier.module) is closed: \(barrier.text)" : barrier.text.isEmpty ? nil : "\(barrier.module): \(barrier.text)"
            return [text, mode(barrier).map { "\(barrier.module): \($0.text); \($0.remedy)" }].compactMap(\.self)
        }
    }

    /// The text and the remedy for a mode that no action knows; nil for any other.
    static func mode(_ barrier: ClusterStatus.Barrier) -> (text: String, remedy: String)? {
        barrier.unknownMode.map { ("it is in the mode '\($0.mode)', which no action knows, so nothing is left out", NearestName.hint($0.mode, among: $0.known)) }
    }

    /// With the snapshots that it owns and observes, and why nobody waits for it.
    private static func json(_ module: ClusterStatus.Module, in picture: ClusterPicture) -> JSONValue {
        let json = json(module)
        guard case .object(let members) = json else { return json }
        let member = picture.members.first { $0.module == module.id }
        func list(_ topics: [Topic]?) -> JSONValue { .array((topics ?? []).map { .string($0.rawValue) }) }
        return .object(members + [.init("provides", list(member?.provides)), .init("observes", list(member?.observes))] + absence(member?.absence))
    }

    /// Nothing for a module that is present.
    static func absence(_ why: String?) -> [JSONValue.Member] { why.map { [.init("absence", .string($0))] } ?? [] }

    static func json(_ module: ClusterStatus.Module) -> JSONValue {
        let counters = module.counters
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        func number(_ value: some BinaryInteger) -> JSONValue { .integer(Int128(value)) }
        let words = [("handOver", module.handover), ("build", module.build)].compactMap { name, text in text.map { JSONValue.Member(name, .string($0)) } }
        return .object([
            .init("id", .string(module.id.rawValue)), .init("version", .string(module.version)),
            .init("kind", .string(module.kind)), .init("state", .string(module.state.phase.rawValue)),
            .init("why", .string(module.state.why)), .init("host", .string(module.host.rawValue)),
            .init("pid", number(module.pid)), .init("epoch", number(module.epoch.rawValue)),
            .init("restarts", number(module.restarts)), .init("readyMilliseconds", number(module.readyMilliseconds)),
            .init("imports", list(module.imports)), .init("handles", list(module.handles.map(\.rawValue))),
            .init("emits", list(module.emits.map(\.rawValue))), .init("directory", .string(module.directory)),
            .init(
                "counters",
                .object([
                    .init("emitted", number(counters.emitted)), .init("handled", number(counters.handled)),
                    .init("failed", number(counters.failed)), .init("lost", number(counters.lost)),
                    .init("unhandled", number(counters.unhandled)), .init("inFlight", number(counters.inFlight)),
                    .init("gaps", number(counters.gaps)), .init("repaired", number(counters.repaired)),
                    .init("refused", number(counters.refused)), .init("refusals", .array((counters.refusals ?? []).map { json($0) })),
                ])),
        ] + words)
    }

    private static func ink(of state: String) -> TerminalStyle.Ink {
        switch ModuleState.Phase(rawValue: state) {
        case .ready: .green
        case .refused, .quarantined: .red
        default: .yellow
        }
    }
}
