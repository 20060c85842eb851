/// A cluster of its own: a configuration and a script that packs, starts, shows and stops it.
package enum ClusterScaffold {
    /// A plugin, and where its built library lies.
    package struct Plugin: Hashable, Sendable {
        package let name: String
        /// For the shell, from the script's variables `bin` (Relux's build) and `here` (the script's folder).
        package let library: String

        package init(name: String, library: String) {
            self.name = name
            self.library = library
        }
    }

    /// - Parameters:
    ///   - name: the cluster's, by default its folder's.
    ///   - plugins: what it runs; in whatever order, for the broker derives it.
    ///   - core: Relux's checkout from the new folder; nil where its programs are installed.
    /// - Throws: `new.cluster` for a name that a configuration does not take, or without plugins.
    package static func make(_ name: String, _ plugins: [Plugin], core: String?) throws(ScaffoldError) -> Scaffold {
        guard isName(name) else {
            throw ScaffoldError(
                "new.cluster", "'\(name)' cannot be a cluster's name: 1 to 64 of A-Z a-z 0-9 _ . - may be, not starting with a dot",
                hint: "choose another folder's name")
        }
        let names = plugins.map(\.name)
        guard !names.isEmpty, Set(names).count == names.count else {
            throw ScaffoldError(
                "new.cluster",
                names.isEmpty ? "a cluster without modules has nothing to run" : "a module is named twice: \(names.joined(separator: ", "))",
                hint: "name each once: --modules Auth,Notes")
        }
        let words = [
            "__N__": name, "__WHERE__": core == nil ? "those of the relux in PATH" : ".build/debug of the checkout this was made in",
            "__BIN__": core.map { "$here/\(escaped($0))/.build/debug" } ?? #"$(dirname -- "$(readlink -f -- "$(command -v relux || echo /usr/bin/relux)")")"#,
            "__BUILD__": core.map { "build it first: swift build --package-path $here/\(escaped($0))" }
                ?? "the installation in $bin lacks $name; name another by RELUX_BIN",
            "__RELUX__": core.map { "build Relux: swift build --package-path $here/\(escaped($0)) --target ReluxCluster, or say where it is: RELUX_BIN" }
                ?? "install Relux, or say where its programs are: RELUX_BIN",
            "__PLUGINS__": names.map { "    - module: \($0)" }.joined(separator: "\n"),
            "__LIBRARIES__": plugins.map { "        \"\($0.library)\"" }.joined(separator: " \\\n"),
        ]
        return Scaffold(
            files: [
                "cluster.yaml": filled(ClusterTemplate.configuration, words), "cluster": filled(ClusterTemplate.script, words),
                ".gitignore": ".relux/\n",
            ], executables: ["cluster"], checklist: checklist(names))
    }

    /// Seed 3's composition root, as things are called here.
    private static func checklist(_ names: [String]) -> [Scaffold.Step] {
        [
            .init(text: "cluster.yaml runs \(names.joined(separator: ", "))", isDone: true),
            .init(text: "cluster: packs, starts, shows and stops it", isDone: true),
            .init(text: "build what it runs, then ./cluster up: it says of the first thing that is not built how to build it", isDone: false),
            .init(text: "modules that share a process: host: NAME in cluster.yaml; Relux's own cluster.yaml explains every key", isDone: false),
        ]
    }

    /// For double quotes of the shell.
    private static func escaped(_ path: String) -> String {
        path.reduce(into: "") { text, character in text += ("\\\"$`".contains(character) ? "\\" : "") + String(character) }
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || "_.-".utf8.contains(byte)
            }
    }
}
