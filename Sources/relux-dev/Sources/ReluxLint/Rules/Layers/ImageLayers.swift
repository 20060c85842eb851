import ReluxLayers

/// Which library links which, by the needed entries of built libraries: the rules of the sources, for what the linker has made of them.
struct ImageLayers {
    /// By library.
    let needed: [String: [String]]
    /// Whether each module is infrastructure, of those of which the sources have been read.
    let infrastructure: [String: Bool]
    private let stems: Set<String>
    private let domains: Set<String>

    init(needed: [String: [String]], infrastructure: [String: Bool]) {
        self.needed = needed
        self.infrastructure = infrastructure
        stems = Set(needed.keys.map(ImageCheck.stem))
        domains = Set(
            stems.compactMap { stem in
                guard let (domain, layer) = Layer.split(stem), !layer.isCommonWord else { return nil }
                return domain
            })
    }

    func findings() -> [Finding] {
        let rules = LayerRules(infrastructure: Set(infrastructure.filter(\.value).keys), image: ["Relux"])
        return needed.sorted { $0.key < $1.key }.flatMap { file, _ -> [Finding] in
            let own = ImageCheck.stem(file)
            let subject = role(own)
            return reached(from: own).compactMap { other, path in
                guard let rule = rules.rule(other, from: subject, to: role(other)), isJudged(rule, subject, role(other)) else { return nil }
                let way = path.isEmpty ? "" : ", by \(path.joined(separator: " and "))"
                return Finding(rule, Place(file: file), "it needs lib\(other).so\(way)")
            }
        }
    }

    /// The libraries that a library needs; where no rule speaks of one of these, also those that it needs in turn.
    private func reached(from start: String) -> [(String, path: [String])] {
        let links = Dictionary(needed.map { (ImageCheck.stem($0.key), $0.value.map(ImageCheck.stem)) }, uniquingKeysWith: { first, _ in first })
        var seen: Set = [start]
        var queue: [(String, path: [String])] = [(start, [])]
        var found: [(String, path: [String])] = []
        while !queue.isEmpty {
            let (stem, path) = queue.removeFirst()
            for next in (links[stem] ?? []).sorted() where seen.insert(next).inserted {
                found.append((next, path))
                switch role(next) {
                case .part, .other: queue.append((next, path + ["lib\(next).so"]))
                default: break
                }
            }
        }
        return found
    }

    /// Whether a domain may know another one depends on what only sources say.
    private func isJudged(_ rule: LintRule, _ subject: ModuleRole, _ object: ModuleRole) -> Bool {
        guard [LintRule.domainToDomain, .infrastructureToDomain].contains(rule) else { return true }
        return [subject, object].allSatisfy { role in role.owner.map { infrastructure[$0] != nil } == true }
    }

    private func role(_ stem: String) -> ModuleRole {
        if stem == "Relux" { return .core }
        if let (domain, layer) = Layer.split(stem) {
            if !layer.isCommonWord || domains.contains(domain) { return .layer(layer, of: domain) }
            if layer.isView, stems.contains(stem) { return .view }
        }
        if let orchestrator = ModuleRole.orchestrator(named: stem) { return .orchestrator(orchestrator) }
        let owner = domains.filter { stem.hasPrefix($0) && stem.dropFirst($0.count).first?.isLowercase != true }.max { $0.utf8.count < $1.utf8.count }
        return owner.map { .part(of: $0) } ?? .other
    }
}
