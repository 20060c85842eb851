import ReluxLayers

/// Seed 0, "Checklist: New Orchestrator".
extension ChecklistInspector {
    func orchestrator(_ name: String) -> Checklist {
        var list = Checklist(name, "new orchestrator (seed 0)")
        let targets = graph.inOrder.filter { $0.role == .orchestrator(name) }.map(\.name)
        let imported = Set(targets.flatMap { survey.imports[$0] ?? [] })
        let domains = imported.compactMap { module -> String? in
            guard case .layer(let layer, let domain)? = graph.modules[module]?.role, layer == .interface || layer == .kit else { return nil }
            return domain
        }
        // Infrastructure is served by nobody, it serves.
        let coordinated = Set(domains).filter { !graph.infrastructure.contains($0) }.sorted()
        // One may coordinate whoever contributes actions, whatever their domains are.
        let isForAll = coordinated.isEmpty && imported.contains("ReluxOrchestration")
        list.add(
            "identify domains that need coordination", missing: coordinated.isEmpty && !isForAll ? ["it imports no domain's interface"] : [],
            seen: isForAll ? "all that contribute actions" : coordinated.joined(separator: ", "))
        list.add(
            "create its package",
            missing: (products([name]).isEmpty && !targets.contains { !products([$0]).isEmpty } ? ["no library \(name)"] : [])
                + faults(targets) { $0.id.hasPrefix("link.") }, seen: "library \(name)")
        list.add(
            "depend only on interfaces", missing: faults(targets) { $0.id.hasPrefix("layer.") },
            seen: "lint finds no other import and no other dependency")
        handlers(&list, name, targets, coordinated)
        let modules = targets.flatMap { survey.types(in: $0) }.filter { $0.isA("Module", "Plugin") }
        list.add(
            "implement the module with empty states",
            missing: (modules.isEmpty ? ["no Relux.Plugin"] : [])
                + (targets.contains { survey.entries.contains($0) } ? [] : ["no function is @c(relux_plugin_main), which the loader calls"])
                + faults(targets) { $0 == .orchestratorState || $0 == .orchestratorResult || $0 == .declaration }, seen: names(modules))
        let place = registered(name)
        list.add("register it after the domains", place.state, place.reason + (place.state == .done ? "; the broker starts it after what it imports" : ""))
        let tests = tests("\(name)Tests")
        list.add("add tests", missing: tests.missing, seen: tests.seen)
        return list
    }

    private func handlers(_ list: inout Checklist, _ name: String, _ targets: [String], _ domains: [String]) {
        let files = targets.flatMap { survey.files[$0] ?? [] }
        let sagas = targets.flatMap { survey.types(in: $0) }.filter { $0.kind == .type && $0.conforms.contains { $0.hasSuffix("Saga") } }
        var missing = sagas.isEmpty ? ["no saga"] : []
        for domain in domains {
            let own = files.filter { $0.hasSuffix("+\(domain).swift") }
            if own.isEmpty {
                missing.append("no file for \(domain), such as \(name)+Saga+\(domain).swift")
            } else if own.allSatisfy({ (survey.answers[$0] ?? 0) == 0 }) {
                missing.append("nothing of \(domain) is answered: \(own.first?.split(separator: "/").last ?? "") has no case")
            }
        }
        list.add("implement the saga with a handler's file for each domain", missing: missing, seen: names(sagas))
    }
}
