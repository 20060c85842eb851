import Relux
import ReluxPlugin

/// What a made module must keep to, whatever its declaration says.
enum ModuleRules {
    static func violation(
        of module: any Relux.Module, _ declaration: ModuleDeclaration
    ) -> (code: String, message: String)? {
        guard declaration.kind == .orchestrator else { return nil }
        if !module.states.isEmpty {
            let names = module.states.map { Relux.typePath(of: type(of: $0)) }.joined(separator: ", ")
            return (
                "layer.orchestratorState",
                "orchestrator \(declaration.id) registers the states \(names); an orchestrator owns none: keep state in a"
                    + " domain, what the orchestrator must know travels in the effect"
            )
        }
        let flows = module.sagas.filter { $0 is any Relux.Flow }.map { Relux.typePath(of: type(of: $0)) }
        guard !flows.isEmpty else { return nil }
        return (
            "layer.orchestratorFlow",
            "orchestrator \(declaration.id) registers the flows \(flows.joined(separator: ", ")); several downstream effects"
                + " have no single answer: make them sagas"
        )
    }
}
