import ArgumentParser
import Glibc
import ReluxControl
import ReluxPlugin
import ReluxTap
import ReluxWire

struct EffectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effect", abstract: "Lists and emits effects.",
        subcommands: [EffectListCommand.self, EffectSendCommand.self])
}

struct EffectListCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists effects with their fields, who emits and who handles them.")
    static let examples = ["relux effect ls", "relux effect ls 'Auth.**' --json"]

    @Argument(help: "Only what matches: * is one segment, ** the rest.", completion: Completions.effects) var patterns: [String] = []
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let wanted = try Self.parse(patterns)
        let client = try session.client()
        let status = try session.status(client)
        let catalog = try ContractCatalog.fetch(client, session)
        var table = TextTable(["EFFECT", "EMITTED BY", "HANDLED BY", "MEANING"])
        var groups: [String] = []
        var objects: [JSONValue] = []
        var names: [String] = []
        for topic in catalog.topics {
            let emitters = status.modules.filter { $0.emits.contains(topic.topic) }.map(\.id.rawValue)
            let handlers = status.modules.filter { $0.handles.contains(topic.topic) }.map(\.id.rawValue)
            let meant = topic.cases.filter { found in wanted.contains { $0.matches(topic.topic, caseName: found.name) } }
            if !meant.isEmpty { groups += Self.group(topic.topic, meant, emittedBy: emitters, handledBy: handlers, session.style) }
            for found in meant {
                let name = found.name.isEmpty ? topic.topic.rawValue : "\(topic.topic).\(found.name)"
                names.append(name)
                table.add(
                    [
                        name + found.signature, emitters.isEmpty ? "-" : emitters.joined(separator: ","),
                        handlers.isEmpty ? "-" : handlers.joined(separator: ","),
                        (found.doc ?? "-").split(separator: "\n").joined(separator: " "),
                    ])
                let doc: [JSONValue.Member] = found.doc.map { [.init("doc", .string($0))] } ?? []
                objects.append(
                    .object(
                        [
                            .init("topic", .string(topic.topic.rawValue)), .init("case", .string(found.name)),
                            .init("fields", .array(found.fields.map(Self.json))),
                            .init("fingerprint", .string("\(topic.fingerprint)")),
                            .init("emittedBy", .array(emitters.map { .string($0) })),
                            .init("handledBy", .array(handlers.map { .string($0) })),
                        ] + doc))
            }
        }
        guard !names.isEmpty || patterns.isEmpty else {
            let advice = PatternAdvice(catalog, status)
            throw CLIError(
                .notFound, "effect.none", "no effect matches \(patterns.joined(separator: ", "))",
                hint: wanted.lazy.compactMap(advice.hint).first ?? "`relux effect ls` shows all")
        }
        switch session.format {
        case .table: for line in groups { session.print(line) }
        case .wide:
            let style = session.style
            for line in table.lines(paint: { row, _, text in row == 0 ? style(text, .dim) : text }) { session.print(line) }
        case .json: session.print(.object([.init("schema", "relux.effects/1"), .init("effects", .array(objects))]))
        case .ndjson: for object in objects { session.print(object) }
        case .name: for name in names { session.print(name) }
        }
        for line in PatternAdvice(catalog, status).lines(wanted) { session.say(line) }
        return .ok
    }

    /// A topic with who says and who handles it, and its cases below it.
    private static func group(
        _ topic: Topic, _ cases: [CaseContract], emittedBy emitters: [String], handledBy handlers: [String], _ style: TerminalStyle
    ) -> [String] {
        func list(_ modules: [String]) -> String { modules.isEmpty ? "nobody" : modules.joined(separator: ", ") }
        let people = [style("  emitted by ", .dim) + list(emitters), style("  handled by ", .dim) + list(handlers)]
        // An effect that is no enum has no cases: its topic is its name.
        if cases.count == 1, cases[0].name.isEmpty { return ["\(topic)\(cases[0].signature)"] + people }
        return ["\(topic)"] + people + cases.map { "  .\($0.name)\($0.signature)" }
    }

    private static func json(_ field: FieldContract) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("label", .string(field.label)), .init("type", .string(field.type)), .init("optional", .bool(field.optional)),
            .init("secret", .bool(field.shape?.kind == .sealed)),
        ]
        let values = (field.shape?.values ?? []) + (field.shape?.cases.map(\.name) ?? [])
        if !values.isEmpty { members.append(.init("values", .array(values.map { .string($0) }))) }
        return .object(members)
    }

    static func parse(_ patterns: [String]) throws(CLIError) -> [TapPattern] {
        var parsed: [TapPattern] = []
        for pattern in patterns {
            do { parsed.append(try TapPattern(pattern)) } catch { throw CLIError(.usage, "pattern", error.message) }
        }
        return parsed.isEmpty ? [.everything] : parsed
    }
}

extension ContractCatalog {
    static func fetch(_ client: borrowing BrokerClient, _ session: CommandSession) throws(CLIError) -> ContractCatalog {
        func ask() throws(CLIError) -> [ModuleID: ByteString] {
            guard case .contracts(let answer) = try client.ask(.contracts, timeout: session.timeout(.seconds(5))) else { throw .strangeAnswer("contracts") }
            return answer
        }
        var answer = try ask()
        if answer.isEmpty {
            // Perhaps the broker has not heard yet what belongs to the cluster; that is waited for.
            _ = try session.status(client)
            answer = try ask()
        }
        return try ContractCatalog(answer: answer)
    }
}
