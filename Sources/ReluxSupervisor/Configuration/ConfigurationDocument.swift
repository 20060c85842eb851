import ReluxOutput
internal import Yams

/// The YAML text as flat dotted keys and the list of plugins, with line numbers; unknown keys are refused here.
struct ConfigurationDocument {
    struct Entry {
        let text: String
        let line: Int
    }

    let name: String
    private(set) var scalars: [String: Entry] = [:]
    private(set) var plugins: [Node] = []

    static let listKey = "cluster.plugins"

    init(_ text: String, name: String) throws(ConfigurationError) {
        self.name = name
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw ConfigurationError(.syntax, at: name, "is not YAML: \(Self.firstLine(of: error))")
        } catch {
            throw ConfigurationError(.syntax, at: name, "is not YAML: \(error)")
        }
        guard let root, root.null == nil else { return }
        try walk(root, prefix: "")
    }

    func place(_ node: Node) -> String { "\(name):\(Self.line(node))" }

    static func line(_ node: Node) -> Int { node.mark?.line ?? 0 }

    private mutating func walk(_ node: Node, prefix: String) throws(ConfigurationError) {
        guard let mapping = node.mapping else {
            let what = prefix.isEmpty ? "the file" : prefix
            throw ConfigurationError(
                .wrongType, at: place(node), "\(what) must be a mapping with the keys \(Self.keys(under: prefix))")
        }
        for (keyNode, value) in mapping {
            let key = prefix.isEmpty ? (keyNode.string ?? "?") : prefix + "." + (keyNode.string ?? "?")
            if key == Self.listKey {
                guard let sequence = value.sequence else {
                    throw ConfigurationError(
                        .wrongType, at: place(value), "cluster.plugins must be a list, such as `- module: Auth`")
                }
                plugins = Array(sequence)
            } else if ConfigurationKey.all.contains(where: { $0.name == key }) {
                guard let scalar = value.scalar else {
                    throw ConfigurationError(.wrongType, at: place(value), "\(key) takes one value")
                }
                scalars[key] = Entry(text: scalar.string, line: Self.line(value))
            } else if Self.valid.contains(where: { $0.hasPrefix(key + ".") }) {
                try walk(value, prefix: key)
            } else {
                let near = NearestName.of(key, among: Self.heads(under: prefix).map { prefix.isEmpty ? $0 : "\(prefix).\($0)" } + Self.valid)
                    // Known, and of another section.
                    ?? Self.valid.first { $0.hasSuffix("." + (keyNode.string ?? "?")) }
                throw ConfigurationError(
                    .unknownKey, at: place(keyNode),
                    "unknown key \(key); "
                        + (near.map { "did you mean \($0)?" } ?? "known here are \(Self.keys(under: prefix))"))
            }
        }
    }

    private static let valid = ConfigurationKey.all.map(\.name) + [listKey]

    private static func keys(under prefix: String) -> String { heads(under: prefix).joined(separator: ", ") }

    private static func heads(under prefix: String) -> [String] {
        let depth = prefix.isEmpty ? 0 : prefix.count + 1
        let heads = valid.filter { prefix.isEmpty || $0.hasPrefix(prefix + ".") }
            .compactMap { $0.dropFirst(depth).split(separator: ".").first.map(String.init) }
        return Array(Set(heads)).sorted()
    }

    private static func firstLine(of error: YamlError) -> String {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line), column \(mark.column): \(problem)"
        case .duplicatedKeysInMapping(let duplicates, let context):
            "line \(context.mark.line): the key \(duplicates.first?.description ?? "?") stands twice"
        default: "\(error)"
        }
    }
}
