import ReluxGenerate

/// Fast coders from the first day, so that the first `relux generate` after a change shows that change and nothing more.
extension DomainScaffold {
    /// The coders of a domain's effects and snapshot, as `relux generate` writes them beside those.
    static func wire(_ files: [String: String], _ domain: String) -> (path: String, text: String)? {
        func sources(_ module: String) -> [ModuleSource] {
            files.filter { $0.key.hasPrefix("Sources/\(module)/") && $0.key.hasSuffix(".swift") }.sorted { $0.key < $1.key }
                .map { ModuleSource(module: module, text: $0.value) }
        }
        let interface = "\(domain)ReluxInt"
        return WireFile(module: interface, sources(interface) + sources("\(domain)Models")).text.map { text in
            ("Sources/\(interface)/\(domain)\(WireFile.suffix)", text)
        }
    }
}
