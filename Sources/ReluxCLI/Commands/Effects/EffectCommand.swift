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
    @OptionGroup var list: ListOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let wanted = try Self.parse(patterns)
        let client = try session.client()
        let status = try session.status(client)
        let catalog = try ContractCatalog.fetch(client, session)
        var rows: [Row] = []
        for topic in catalog.topics {
            let emitters = status.modules.filter { $0.emits.contains(topic.topic) }.map(\.id.rawValue)
            let handlers = status.modules.filter { $0.handles.contains(topic.topic) }.map(\.id.rawValue)
            for found in topic.cases where wanted.contains(where: { $0.matches(topic.topic, caseName: found.name) }) {
                rows.append(Row(topic: topic, found: found, emitters: emitters, handlers: handlers))
            }
        }
        guard !rows.isEmpty || patterns.isEmpty else {
            let advice = PatternAdvice(catalog, status)
            throw CLIError(
                .notFound, "effect.none", "no effect matches \(patterns.joined(separator: ", "))",
                hint: wanted.lazy.compactMap(advice.hint).first ?? "`relux effect ls` shows all")
        }
        let shown = try list.select(rows, \.json)
        switch session.format {
        case .table:
            // Rows of one topic stand together unless they are sorted by something else.
            for group in shown.chunked(by: { $0.topic.topic == $1.topic.topic }) { for line in Row.lines(of: group, session.style) { session.print(line) } }
        case .wide:
            var table = TextTable(["EFFECT", "EMITTED BY", "HANDLED BY", "MEANING"])
            for row in shown { table.add(row.cells) }
            let style = session.style
            for line in table.lines(paint: { row, _, text in row == 0 ? style(text, .dim) : text }) { session.print(line) }
        case .json: session.print(.object([.init("schema", "relux.effects/1"), .init("effects", .array(shown.map(\.json)))]))
        case .ndjson: for row in shown { session.print(row.json) }
        case .name: for row in shown { session.print(row.name) }
        }
        for line in PatternAdvice(catalog, status).lines(wanted) { session.say(line) }
        return .ok
    }

    static func parse(_ patterns: [String]) throws(CLIError) -> [TapPattern] {
        var parsed: [TapPattern] = []
        for pattern in patterns {
            do { parsed.append(try TapPattern(pattern)) } catch { throw CLIError(.usage, "pattern", error.message) }
        }
        return parsed.isEmpty ? [.everything] : parsed
    }
}

/// An effect with who says and who handles it.
private struct Row {
    let topic: TopicContract
    let found: CaseContract
    let emitters: [String]
    let handlers: [String]

    var name: String { found.name.isEmpty ? topic.topic.rawValue : "\(topic.topic).\(found.name)" }

    var cells: [String] {
        func list(_ modules: [String]) -> String { modules.isEmpty ? "-" : modules.joined(separator: ",") }
        return [name + found.signature, list(emitters), list(handlers), (found.doc ?? "-").split(separator: "\n").joined(separator: " ")]
    }

    var json: JSONValue {
        let doc: [JSONValue.Member] = found.doc.map { [.init("doc", .string($0))] } ?? []
        return .object(
            [
                .init("topic", .string(topic.topic.rawValue)), .init("case", .string(found.name)), .init("fields", .array(found.fields.map(Self.json))),
                .init("fingerprint", .string("\(topic.fingerprint)")), .init("emittedBy", .array(emitters.map { .string($0) })),
                .init("handledBy", .array(handlers.map { .string($0) })),
            ] + doc)
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

    /// The topic of all of them with who says and who handles it, and its cases below it.
    static func lines(of rows: ArraySlice<Row>, _ style: TerminalStyle) -> [String] {
        guard let first = rows.first else { return [] }
        func list(_ modules: [String]) -> String { modules.isEmpty ? "nobody" : modules.joined(separator: ", ") }
        let people = [style("  emitted by ", .dim) + list(first.emitters), style("  handled by ", .dim) + list(first.handlers)]
        // An effect that is no enum has no cases: its topic is its name.
        if rows.count == 1, first.found.name.isEmpty { return ["\(first.topic.topic)\(first.found.signature)"] + people }
        return ["\(first.topic.topic)"] + people + rows.map { "  .\($0.found.name)\($0.found.signature)" }
    }
}

extension Array {
    /// Neighbours that belong together.
    fileprivate func chunked(by belong: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var chunks: [ArraySlice<Element>] = []
        var start = startIndex
        for index in indices.dropFirst() where !belong(self[index - 1], self[index]) {
            chunks.append(self[start..<index])
            start = index
        }
        if !isEmpty { chunks.append(self[start...]) }
        return chunks
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
