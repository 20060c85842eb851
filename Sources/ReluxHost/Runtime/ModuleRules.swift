import Relux
import ReluxLayers
import ReluxPlugin

/// What a made module must keep to, whatever its declaration says.
enum ModuleRules {
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
