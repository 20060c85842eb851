import ReluxLayers

/// Seed 3's package of a user interface, and seed 4's delegation.
extension ChecklistInspector {
    func view(_ domain: String) -> Checklist {
        let (api, views) = (domain + Layer.userInterfaceAPI.rawValue, domain + Layer.userInterface.rawValue)
        var list = Checklist(views, "user interface (seed 3)")
        let providers = survey.protocols(in: api)
        list.add("\(api): the protocol that gives views", missing: providers.isEmpty ? ["no protocol in it"] : [], seen: names(providers))
        let shown = survey.types(in: views).filter { type in providers.contains { type.isA($0.name) } }
        list.add("\(views): the views", missing: shown.isEmpty ? ["no type is a \(names(providers))"] : [], seen: names(shown))
        let pages = survey.types(in: domain + Layer.interface.rawValue).first { $0.path == "\(domain).UI.Model.Page" }?.cases ?? []
        let said = Set((survey.files[views] ?? []).flatMap { survey.members[$0] ?? [] })
        list.add(
            "a view for each page", missing: pages.filter { !said.contains($0) }.map { "nothing is said of .\($0)" }, seen: pages.joined(separator: ", "))
        list.add(
            "only interface and models are linked", missing: faults([api, views] + programs(views)) { $0.id.hasPrefix("layer.") },
            seen: "lint finds no other import and no other dependency")
        let tests = tests("\(views)Tests")
        list.add("add tests", missing: tests.missing, seen: tests.seen)
        list.add(
            "a process that shows it", programs(views).isEmpty ? .unseen : .done,
            programs(views).isEmpty ? "it has no program; whether another one shows it, only a person knows" : programs(views).joined(separator: ", "))
        list.add("show what a person wants to read, and take what a person may ask", .unseen, "only a person can look at it")
        return list
    }

    private func programs(_ views: String) -> [String] {
        guard let module = graph.modules[views] else { return [] }
        return packages[module.package].targets.filter { $0.kind == .executable }.map(\.name)
    }

    /// None for a domain without features.
    func features(_ domain: String) -> [Checklist] {
        let target = domain + Layer.implementation.rawValue
        let features = survey.types(in: target).filter { $0.isA("Reducer") }
        guard !features.isEmpty else { return [] }
        var list = Checklist(domain, "delegation of its features (seed 4)")
        list.add(
            "no notification centre, no global state, no change of a parent's state",
            missing: faults([target]) { $0.id.hasPrefix("state.") }, seen: "lint finds none")
        list.add("every reducer answers its own delegate with none", missing: faults([target]) { $0 == .delegateAnswer }, seen: names(features))
        for feature in features.sorted(by: { $0.path < $1.path }) {
            guard let delegate = survey.types(in: target).first(where: { $0.path == "\(feature.path).Action.Delegate" }) else {
                list.add("\(feature.name): what its parent has to know", .unseen, "it delegates nothing; whether it should, only a person knows")
                continue
            }
            let others = (survey.files[target] ?? []).filter { $0 != delegate.file }
            let answered = Set(others.flatMap { survey.members[$0] ?? [] })
            list.add(
                "\(feature.name): a parent answers each delegate",
                missing: delegate.cases.filter { !answered.contains($0) }.map { "nobody but itself says .\($0)" }, seen: delegate.cases.joined(separator: ", "))
        }
        return [list]
    }
}
