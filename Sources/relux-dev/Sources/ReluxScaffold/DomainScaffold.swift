/// A domain of six products: seed 3's layout, one effect of each kind, a state, a flow, mocks and tests; or of another shape.
package enum DomainScaffold {
    package static func make(_ name: ModuleName, _ surroundings: Surroundings, _ shape: DomainShape = []) -> Scaffold {
        var scaffold = whole(name, shape.contains(.split) ? surroundings.deeper : surroundings)
        if shape.contains(.schedule) { scaffold = schedule(scaffold, name) }
        if shape.contains(.kit) { scaffold = kit(scaffold, name) }
        if shape.contains(.hybrid) { scaffold = hybrid(scaffold, name) }
        if shape.contains(.split) { scaffold = split(scaffold, name) }
        return scaffold
    }

    private static func whole(_ name: ModuleName, _ surroundings: Surroundings) -> Scaffold {
        let words = ["__D__": name.text, "__d__": name.lowercase, "__CORE__": surroundings.core, "__PLUGINS__": surroundings.plugins]
        let templates =
            DomainTemplate.manifest + DomainTemplate.models + DomainTemplate.interfaces + DomainTemplate.service + DomainTemplate.module
            + DomainTemplate.flow + DomainTemplate.testSupport + DomainTemplate.tests + DomainTemplate.flowTests
        var files: [String: String] = [:]
        for (path, text) in templates { files[path.replacing("__D__", with: name.text)] = filled(text, words) }
        if let (path, text) = wire(files, name.text) { files[path] = text }
        return Scaffold(files: files, checklist: checklist(name.text, surroundings))
    }

    /// Seed 3, "Checklist: New Domain", as things are called here.
    private static func checklist(_ name: String, _ surroundings: Surroundings) -> [Scaffold.Step] {
        let done = [
            "\(name)/Package.swift with six products", "\(name)Models: namespace, data types, errors",
            "\(name)ServiceInt: the service's protocol",
            "\(name)ServiceImpl: a service that keeps items in a file, and for `services: mock` one that keeps them in memory",
            "\(name)ReluxInt: actions, effects and their fast coders, the state's and the router's protocols",
            "\(name)ReluxImpl: state, reducer, flow, module, plugin, router adapter to Navigation", "\(name)TestSupport: mock and stub",
            "\(name)Tests",
        ]
        var left = [
            "replace Item, the effects and the service by what \(name) is about, and say so in the comments",
            "after each change of effects, snapshot or models write their coders again: "
                + "relux generate \(surroundings.isInside ? "Plugins/" : "")\(name); relux dev does it before each build",
        ]
        if surroundings.isInside {
            left.append(
                "register it: `Plugin(name: \"\(name)\")` in the list `plugins` at the top of Package.swift, and `- module: \(name)` in deploy/cluster.yaml"
            )
        }
        let library = ".build/debug/lib\(name)ReluxImpl.so"
        let pack =
            surroundings.isInside
            ? "relux module pack \(library) --write-contract"
            : "relux module pack \(name)/\(library) --plugins . --out packed --write-contract"
        left += [
            "build, write its contract and commit the file: \(pack)",
            "add it to an orchestrator if other domains shall answer its effects: relux new orchestrator",
            "its views in a package of their own, if it has some: relux new ui \(name)\(surroundings.isInside ? "" : " --standalone")",
        ]
        if !surroundings.isInside {
            left.append("run it: relux new cluster NAME --modules \(name), or relux dev \(name) where a cluster is up")
        }
        return done.map { .init(text: $0, isDone: true) } + left.map { .init(text: $0, isDone: false) }
    }
}
