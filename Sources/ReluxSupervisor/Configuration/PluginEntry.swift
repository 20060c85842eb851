import Foundation
internal import ReluxControl
import ReluxOutput
internal import Yams

/// One element of `cluster.plugins`, before those of the same host are joined.
struct PluginEntry {
    let module: String
    let path: String
    let host: String
    let executable: String
    let restart: HostSpec.Restart?
    let environment: [String: String]
    let place: String

    private static let keys = ["module", "path", "host", "executable", "restart", "services", "environment"]

    init(_ node: Node, in document: ConfigurationDocument, packed: String, beside: String, _ variables: [String: String]) throws(ConfigurationError) {
        place = document.place(node)
        guard let mapping = node.mapping else {
            throw ConfigurationError(
                .wrongType, at: place, "an element of cluster.plugins must be a mapping, such as `module: Auth`")
        }
        var values: [String: String] = [:]
        var environment: [String: String] = [:]
        for (keyNode, value) in mapping {
            let key = keyNode.string ?? "?"
            guard Self.keys.contains(key) else {
                let near = NearestName.of(key, among: Self.keys)
                throw ConfigurationError(
                    .unknownKey, at: document.place(keyNode),
                    "unknown key cluster.plugins.\(key); "
                        + (near.map { "did you mean \($0)?" } ?? "known here are \(Self.keys.joined(separator: ", "))"))
            }
            if key == "environment" {
                try Self.read(value, into: &environment, document)
                continue
            }
            guard let scalar = value.scalar, !scalar.string.isEmpty else {
                throw ConfigurationError(.wrongType, at: document.place(value), "cluster.plugins.\(key) takes one text")
            }
            values[key] = scalar.string
        }
        switch (values["module"], values["path"]) {
        case (let name?, nil):
            module = name
            path = Self.version("\(packed)/\(name)/current")
        case (nil, let pattern?):
            let expanded = pattern.hasPrefix("<packed>/") ? packed + pattern.dropFirst("<packed>".count) : pattern
            path = Self.version(try ClusterConfiguration.absolute(expanded, base: beside, variables, "cluster.plugins.path", at: place))
            // `…/<module>/<version>`, as `relux module pack` publishes it.
            module = path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        case (nil, nil):
            throw ConfigurationError(.missing, at: place, "an element of cluster.plugins needs `module:` or `path:`")
        case (_?, _?):
            throw ConfigurationError(
                .conflict, at: place, "an element of cluster.plugins takes `module:` or `path:`, not both")
        }
        host = values["host"] ?? module
        executable =
            if let named = values["executable"] {
                try ClusterConfiguration.absolute(named, base: beside, variables, "cluster.plugins.executable", at: place)
            } else { "" }
        for (key, name) in [("module", module), ("host", host)] where !HostID(rawValue: name).isName {
            throw ConfigurationError(.outOfRange, at: place, "cluster.plugins.\(key): \"\(name)\" is not allowed; it takes \(HostID.grammar)")
        }
        if let text = values["restart"] {
            guard let restart = HostSpec.Restart(rawValue: text) else {
                throw ConfigurationError(
                    .outOfRange, at: place,
                    "cluster.plugins.restart: \"\(text)\" is not allowed; it takes permanent, transient or temporary"
                        + (NearestName.meant(text, among: HostSpec.Restart.allCases.map(\.rawValue)).map { "; \($0)" } ?? ""))
            }
            self.restart = restart
        } else {
            restart = nil
        }
        if let text = values["services"] {
            guard ["real", "mock"].contains(text) else {
                throw ConfigurationError(
                    .outOfRange, at: place, "cluster.plugins.services: \"\(text)\" is not allowed; it takes real or mock"
                        + (NearestName.meant(text, among: ["real", "mock"]).map { "; \($0)" } ?? ""))
            }
            // By module, for a host may have several; the host reads it when it makes the module.
            let variable = "RELUX_SERVICES_\(module)"
            if let other = environment[variable], other != text {
                throw ConfigurationError(
                    .conflict, at: place, "cluster.plugins.services: \(text) and \(variable) \(other) in environment contradict each other; leave one out")
            }
            environment[variable] = text
        }
        self.environment = environment
    }

    private static func read(_ value: Node, into environment: inout [String: String], _ document: ConfigurationDocument) throws(ConfigurationError) {
        guard let mapping = value.mapping else {
            throw ConfigurationError(
                .wrongType, at: document.place(value), "cluster.plugins.environment takes names with texts, such as {LEVEL: debug}")
        }
        for (key, text) in mapping {
            let name = key.scalar?.string ?? ""
            if let refusal = EnvironmentRules.refusal(name, text.scalar?.string) {
                throw ConfigurationError(refusal.code, at: document.place(key), refusal.text)
            }
            environment[name] = text.scalar?.string
        }
    }

    /// The version that a module's link names now: what is packed later comes by an order, not by a crash.
    private static func version(_ path: String) -> String {
        guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: path), !name.contains("/")
        else { return path }
        return URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name
    }

    /// Joins the entries that share a host, in the order of first mention.
    static func hosts(
        of entries: [PluginEntry], in document: ConfigurationDocument
    ) throws(ConfigurationError) -> [HostSpec] {
        var specs: [HostSpec] = []
        var firsts: [HostID: PluginEntry] = [:]
        var places: [String: String] = [:]
        for entry in entries {
            if let first = places.updateValue(entry.place, forKey: entry.module) {
                throw ConfigurationError(
                    .duplicate, at: entry.place, "module \(entry.module) is listed already at \(first); remove one")
            }
            let id = HostID(rawValue: entry.host)
            guard let index = specs.firstIndex(where: { $0.id == id }), let first = firsts[id] else {
                firsts[id] = entry
                specs.append(
                    HostSpec(
                        id: id, plugins: [entry.path], executable: entry.executable, environment: entry.environment,
                        restart: entry.restart ?? .permanent))
                continue
            }
            if let (key, mine, others) = difference(entry, first, specs[index]) {
                throw ConfigurationError(
                    .conflict, at: entry.place,
                    "module \(entry.module) shares the host \(id) with \(first.module) (\(first.place)), one process, and their \(key) differ: "
                        + "\(mine) here, \(others) there; write the same for both, or give one another host")
            }
            specs[index].plugins.append(entry.path)
            specs[index].environment.merge(entry.environment) { mine, _ in mine }
        }
        return specs
    }

    /// The first thing that an entry says of its process otherwise than those before it.
    private static func difference(_ entry: PluginEntry, _ first: PluginEntry, _ spec: HostSpec) -> (key: String, mine: String, others: String)? {
        func text(_ path: String) -> String { path.isEmpty ? "relux-host" : path }
        if entry.executable != first.executable { return ("executables", text(entry.executable), text(first.executable)) }
        if let mine = entry.restart, mine != spec.restart { return ("restarts", mine.rawValue, spec.restart.rawValue) }
        for (name, mine) in entry.environment.sorted(by: { $0.key < $1.key }) {
            guard let others = spec.environment[name], others != mine else { continue }
            return ("values of \(name)", "\"\(mine)\"", "\"\(others)\"")
        }
        return nil
    }
}
