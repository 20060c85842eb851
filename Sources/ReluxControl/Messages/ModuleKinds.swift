import Relux
package import ReluxPlugin
package import ReluxWire

/// The kinds of all modules that a cluster has, as its broker tells them a host: by them the host judges what a plugin links.
///
/// It is one short text, for it goes to every process that is started: `domain Auth,Notes infrastructure Navigation`.
package struct ModuleKinds: Codable, Sendable, Hashable {
    /// More do not fit into an argument of a process; a host leaves what is not named to the broker.
    static let byteLimit = 96 << 10

    package let text: String

    /// - Parameter kinds: where too many are named, domains are left out first.
    package init(_ kinds: [(id: ModuleID, kind: ModuleDeclaration.Kind)]) {
        var words: [String] = []
        var room = Self.byteLimit
        for kind in [ModuleDeclaration.Kind.infrastructure, .orchestrator, .userInterface, .domain] {
            let names = kinds.filter { $0.kind == kind }.map(\.id.rawValue).sorted().prefix { name in
                room -= name.utf8.count + 1
                return room > 0
            }
            if !names.isEmpty { words.append(kind.rawValue + " " + names.joined(separator: ",")) }
        }
        text = words.joined(separator: " ")
    }

    /// Accepts any text; parts of it that name no kind are passed over.
    package init(text: String) { self.text = text }

    package init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var byName: [String: ModuleDeclaration.Kind] {
        var kinds: [String: ModuleDeclaration.Kind] = [:]
        let words = text.split(separator: " ")
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            guard let kind = ModuleDeclaration.Kind(rawValue: String(words[index])) else { continue }
            for name in words[index + 1].split(separator: ",") { kinds[String(name)] = kind }
        }
        return kinds
    }
}
