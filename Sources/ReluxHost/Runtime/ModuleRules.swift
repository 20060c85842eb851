import Relux
import ReluxLayers
import ReluxPlugin

/// What a made module must keep to, whatever its declaration says.
enum ModuleRules {
    /// A plugin's type names the snapshots that its instance shares: the broker has told others of them.
    private static func sharing(of module: any Relux.Module, _ declaration: ModuleDeclaration) -> (code: String, message: String)? {
        guard module is any Relux.Plugin else { return nil }
        let shared = Set(module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
        guard shared != Set(declaration.provides) else { return nil }
        func list(_ topics: some Collection<Topic>) -> String { topics.isEmpty ? "none" : topics.sorted().map(\.rawValue).joined(separator: ", ") }
        return (
            "host.provides",
            "\(declaration.id) shares the snapshots \(list(shared)) with its relays, and its type provides \(list(declaration.provides));"
                + " name the snapshot of each relay in `static var provides`"
        )
    }

    static func violation(
        of module: any Relux.Module, _ declaration: ModuleDeclaration
    ) -> (code: String, message: String)? {
        if (declaration.startBarrier == nil) != (module.startBarrier == nil) {
            let (has, declares) = module.startBarrier == nil ? ("has none", "declares") : ("has one", "does not declare")
            return (
                "host.startBarrier",
                "\(declaration.id) \(declares) a start barrier and \(has): the start would \(module.startBarrier == nil ? "never be over" : "not wait for it");"
                    + " give the module a `startBarrier` and its declaration what users may send while it is closed, or neither"
            )
        }
        if let broken = sharing(of: module, declaration) { return broken }
        guard declaration.kind == .orchestrator else { return nil }
        if !module.states.isEmpty {
            let names = module.states.map { Relux.typePath(of: type(of: $0)) }.joined(separator: ", ")
            return (
                ErrorCode.orchestratorState.id,
                "orchestrator \(declaration.id) registers the states \(names); an orchestrator owns none: keep state in a"
                    + " domain, what the orchestrator must know travels in the effect"
            )
        }
        let flows = module.sagas.filter { $0 is any Relux.Flow }.map { Relux.typePath(of: type(of: $0)) }
        guard !flows.isEmpty else { return nil }
        return (
            ErrorCode.orchestratorResult.id,
            "orchestrator \(declaration.id) registers the flows \(flows.joined(separator: ", ")); several downstream effects"
                + " have no single answer: make them sagas"
        )
    }
}
