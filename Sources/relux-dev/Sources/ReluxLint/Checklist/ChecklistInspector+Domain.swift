import Foundation
import ReluxLayers

/// Seed 3, "Checklist: New Domain".
extension ChecklistInspector {
    func domain(_ name: String) -> Checklist {
        var list = Checklist(name, "new domain (seed 3)")
        func target(_ layer: Layer) -> String { name + layer.rawValue }
        // A domain that starts small has its service in the implementation.
        let isSmall = graph.modules[target(.serviceInterface)] == nil && graph.modules[target(.serviceImplementation)] == nil
        let (contracts, works) = isSmall ? (target(.implementation), target(.implementation)) : (target(.serviceInterface), target(.serviceImplementation))
        libraries(&list, name, isSmall: isSmall)

        let models = target(.models)
        let values = survey.values(in: models)
        list.add(
            "implement \(models): namespace, data types, errors",
            missing: [
                survey.types(in: models).contains { $0.path == name } ? nil : "no type \(name), the namespace",
                values.contains { !$0.isA("Error") } ? nil : "no data type", values.contains { $0.isA("Error") } ? nil : "no type is an Error",
                survey.unwritten.contains(models) ? "what \(name) is about is not said: its comment is the generator's" : nil,
            ].compactMap { $0 }, seen: names(values))

        let services = survey.protocols(in: contracts).filter { !isSmall || $0.name.contains("Service") }
        list.add(
            isSmall ? "implement a service's protocol in \(contracts)" : "implement \(contracts): the service's protocol",
            missing: services.isEmpty ? ["no protocol of a service"] : [], seen: names(services))
        let servants = survey.types(in: works).filter { type in type.kind == .type && services.contains { type.isA($0.name) } }
        list.add(
            isSmall ? "implement the service in \(works)" : "implement \(works): the service",
            missing: servants.isEmpty ? ["no type is a \(services.isEmpty ? "service" : names(services))"] : [], seen: names(servants))

        interface(&list, name)
        implementation(&list, name)

        let stand = survey.types(in: target(.testSupport)).filter { $0.kind == .type }
        list.add(
            "implement \(target(.testSupport)): mocks, stubs", missing: stand.isEmpty ? ["no type in it"] : [], seen: names(stand))
        let tests = tests("\(name)Tests")
        list.add("tests in \(name)Tests", missing: tests.missing, seen: tests.seen)
        let place = registered(name)
        list.add("register it where the cluster is put together", place.state, place.reason)
        routes(&list, name)
        others(&list, name)
        contract(&list, name)
        return list
    }

    private func libraries(_ list: inout Checklist, _ name: String, isSmall: Bool) {
        let wanted = Layer.allCases.filter { layer in
            !layer.isCommonWord && !(isSmall && (layer == .serviceInterface || layer == .serviceImplementation))
        }.map { name + $0.rawValue }
        let there = products(wanted)
        let half = around.missing[name].map { "the domain's other package is not where it was looked for, in \($0): put it there, or name its folder too" }
        let missing = (half.map { [$0] } ?? []) + wanted.filter { there[$0] == nil }.map { "no product \($0)" }
        let faults = faults(wanted + [name + Layer.kit.rawValue]) { $0.id.hasPrefix("link.") || $0 == .split }
        let text = isSmall ? "package with four products: it starts small" : "package with six products"
        list.add(text, missing: missing + faults, seen: wanted.joined(separator: ", "))
    }

    private func interface(_ list: inout Checklist, _ name: String) {
        let target = name + Layer.interface.rawValue
        let types = survey.types(in: target)
        // A state may reduce the effects themselves.
        let reducesEffects = (survey.files[name + Layer.implementation.rawValue] ?? []).contains { file in
            file.hasSuffix("+Reducer.swift") && survey.members[file]?.contains("Effect") == true
        }
        let states = types.filter { $0.kind == .protocolType && $0.conforms.contains { $0.hasSuffix("State") || $0 == "SnapshotProviding" } }
        let routers = types.filter { $0.kind == .protocolType && $0.name.hasSuffix("Router") }
        let effects = types.filter { $0.isA("Effect") }
        // A domain's actions may be its own affair; those of features are.
        let actions = (types + survey.types(in: name + Layer.implementation.rawValue)).filter { $0.isA("Action", "Reducer") }
        let hasPages = types.contains { $0.name == "Page" }
        list.add(
            "implement \(target): actions, effects, protocols of state and router",
            missing: [
                actions.isEmpty && !reducesEffects ? "no Relux.Action" : nil, effects.isEmpty ? "no Relux.Effect" : nil,
                states.isEmpty ? "no protocol of a state" : nil, hasPages && routers.isEmpty ? "it has pages and no protocol of a router" : nil,
            ].compactMap { $0 } + faults([target]) { $0.id.hasPrefix("layer.") }, seen: names(actions + effects + states + routers))
    }

    private func implementation(_ list: inout Checklist, _ name: String) {
        let target = name + Layer.implementation.rawValue
        let types = survey.types(in: target)
        let states = types.filter { $0.kind == .type && $0.conforms.contains { $0.hasSuffix("State") } }
        let works = types.filter { $0.conforms.contains { $0.hasSuffix("Flow") || $0.hasSuffix("Saga") } && $0.kind == .type }
        let reduces = survey.functions[target]?.contains("reduce") == true || types.contains { $0.isA("Reducer") }
        let modules = types.filter { $0.isA("Module", "Plugin") }
        list.add(
            "implement \(target): state, reducer, saga or flow, module",
            missing: [
                states.isEmpty ? "no state" : nil, reduces ? nil : "no reducer", works.isEmpty ? "no saga and no flow" : nil,
                modules.isEmpty ? "no Relux.Plugin" : nil,
                survey.entries.contains(target) ? nil : "no function is @c(relux_plugin_main), which the loader calls",
            ].compactMap { $0 } + faults([target]) { $0.id.hasPrefix("layer.") || $0 == .declaration }, seen: names(states + works + modules))
    }

    private func routes(_ list: inout Checklist, _ name: String) {
        let routers = survey.protocols(in: name + Layer.interface.rawValue).filter { $0.name.hasSuffix("Router") }
        let adapters = survey.types(in: name + Layer.implementation.rawValue).filter { type in routers.contains { type.isA($0.name) } }
        list.add(
            "create a router adapter", missing: routers.isEmpty || !adapters.isEmpty ? [] : ["no type is a \(names(routers))"],
            seen: routers.isEmpty ? "there is no router to adapt" : names(adapters))
    }

    private func others(_ list: inout Checklist, _ name: String) {
        let listeners = [Layer.interface, .kit].flatMap { around.listeners[name + $0.rawValue] ?? [] }
        let orchestrators = Set(listeners).sorted()
        list.add(
            "add it to an orchestrator if other domains shall answer it", orchestrators.isEmpty ? .unseen : .done,
            orchestrators.isEmpty
                ? "no orchestrator beside it imports \(name)ReluxInt; whether one should, only a person knows"
                : "\(orchestrators.joined(separator: ", "))")
        let pages = survey.types(in: name + Layer.interface.rawValue).first { $0.path == "\(name).UI.Model.Page" }?.cases ?? []
        let hasUI = around.folders.contains("\(name)UI")
        list.add(
            "create \(name)UI if it has views", hasUI || pages.isEmpty ? .done : .unseen,
            hasUI ? "\(name)UI is beside it"
                : pages.isEmpty ? "it has no pages" : "it has pages (\(pages.joined(separator: ", "))); whether they are shown elsewhere, only a person knows")
    }

    /// Ours: others are checked against the file.
    private func contract(_ list: inout Checklist, _ name: String) {
        struct Written: Decodable {
            struct Topic: Decodable {
                struct Case: Decodable { let name: String }
                let topic: String
                let cases: [Case]
            }
            let topics: [Topic]
        }
        let text = "write its contract beside the interface and commit it"
        let target = name + Layer.interface.rawValue
        guard let module = graph.modules[target] else { return }
        let path = "\(packages[module.package].folder)/\(module.target.folder)/\(name).contract.json"
        guard let file = read(path), let written = try? JSONDecoder().decode(Written.self, from: Data(file.utf8)) else {
            return list.add(text, .open, "there is no \(name).contract.json that can be read: relux module pack … --write-contract")
        }
        let effect = "\(name).Business.Effect"
        let cases = Set(survey.types(in: target).first { $0.path == effect }?.cases ?? [])
        let known = Set(written.topics.first { $0.topic == effect }?.cases.map(\.name) ?? [])
        let (absent, gone) = (cases.subtracting(known).sorted(), known.subtracting(cases).sorted())
        let missing = [("not in it: ", absent), ("no effect any more: ", gone)].filter { !$0.1.isEmpty }.map { $0 + $1.joined(separator: ", ") }
        list.add(text, missing: missing.isEmpty ? [] : missing + ["write it by relux module pack … --write-contract"], seen: "\(known.count) effects in it")
    }
}
