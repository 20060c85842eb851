import Foundation
import ReluxControl
import ReluxOutput

/// Names for the clusters of this user, of which one is selected: what `relux context` keeps in `~/.config/relux/contexts.json`.
struct Contexts: Codable, Equatable, Sendable {
    /// A cluster by its file, its run directory or both; absolute paths.
    struct Context: Codable, Equatable, Sendable {
        let name: String
        var config: String?
        var run: String?
    }

    private(set) var schema = Self.schema
    private(set) var contexts: [Context] = []
    private(set) var selected: String?
    /// Selected before; nil when nothing was.
    private(set) var previous: String?

    private static let schema = "relux.contextFile/1"
    static let grammar = "1 to 64 of letters, digits, '-', '_' and '.', the first one a letter or digit"

    /// - Throws: `context.unknown`, with the nearest name.
    func context(named name: String) throws(CLIError) -> Context {
        guard let found = contexts.first(where: { $0.name == name }) else {
            throw CLIError(
                .notFound, "context.unknown", "there is no context '\(name)'",
                hint: contexts.isEmpty ? "add one: relux context add \(name) --config FILE" : NearestName.hint(name, among: contexts.map(\.name)))
        }
        return found
    }

    /// Adds it; the same again changes nothing, another of the name takes its place with `isForced` only.
    /// - Throws: `context.name`, `context.taken`.
    mutating func add(_ context: Context, isForced: Bool) throws(CLIError) {
        guard Self.isName(context.name) else {
            throw CLIError(.usage, "context.name", "'\(context.name)' is no name of a context", hint: "it takes \(Self.grammar)")
        }
        if let index = contexts.firstIndex(where: { $0.name == context.name }) {
            guard contexts[index] == context || isForced else {
                throw CLIError(
                    .refused, "context.taken", "the context \(context.name) is there already, for \(contexts[index].place)",
                    hint: "choose another name, or replace it with --force")
            }
            contexts[index] = context
        } else {
            contexts.append(context)
            contexts.sort { $0.name < $1.name }
        }
    }

    /// - Throws: `context.unknown`.
    mutating func select(_ name: String) throws(CLIError) {
        _ = try context(named: name)
        guard selected != name else { return }
        (previous, selected) = (selected, name)
    }

    /// Back to the one before; a second time forth again.
    /// - Throws: `context.unknown` when there was none, or it is gone.
    mutating func selectPrevious() throws(CLIError) {
        guard let previous else {
            throw CLIError(.notFound, "context.unknown", "no context was selected before this one", hint: "relux context ls, relux context select NAME")
        }
        try select(previous)
    }

    /// Takes it away; the cluster is not touched.
    /// - Throws: `context.unknown`.
    mutating func remove(_ name: String) throws(CLIError) {
        _ = try context(named: name)
        contexts.removeAll { $0.name == name }
        if selected == name { selected = nil }
        if previous == name { previous = nil }
    }

    private static func isName(_ name: String) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) }
        let bytes = Array(name.utf8)
        return (1...64).contains(bytes.count) && isAlphanumeric(bytes[0]) && bytes.allSatisfy { isAlphanumeric($0) || "-_.".utf8.contains($0) }
    }
}

extension Contexts.Context {
    /// For people: the file, or the run directory without one.
    var place: String { config ?? run ?? "" }
}

extension Contexts {
    /// Nil without a home.
    static func path(_ environment: [String: String]) -> String? {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return (absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }).map { "\($0)/relux/contexts.json" }
    }

    /// The contexts in the user's file; none without a file.
    /// - Throws: `context.unreadable`.
    static func load(_ environment: [String: String]) throws(CLIError) -> Contexts {
        guard let path = path(environment), FileManager.default.fileExists(atPath: path) else { return Contexts() }
        guard let data = FileManager.default.contents(atPath: path), let contexts = try? JSONDecoder().decode(Self.self, from: data),
            contexts.schema == schema
        else {
            throw CLIError(
                .failed, "context.unreadable", "\(path) has no contexts that this relux can read: it is no \(schema)",
                hint: "mend it or delete it, then add the contexts again; --config or --run needs none")
        }
        return contexts
    }

    /// Replaces the file whole.
    /// - Throws: `context.unwritten`.
    func save(_ environment: [String: String]) throws(CLIError) {
        guard let path = Self.path(environment) else {
            throw CLIError(.failed, "context.unwritten", "contexts are kept in the user's home, and HOME names none", hint: "set HOME or XDG_CONFIG_HOME to an absolute path")
        }
        do {
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw CLIError(.failed, "context.unwritten", "\(path) cannot be written: \(error.localizedDescription)", hint: "let this user write there")
        }
    }
}
