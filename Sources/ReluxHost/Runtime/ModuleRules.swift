import Relux
import ReluxLayers
import ReluxPlugin

/// The rules that a made module must keep, whatever its declaration says.
enum ModuleRules {
    /// An instance of a plugin does what its type says: the broker has told others of that.
    private static func difference(of module: any Relux.Module, _ declaration: ModuleDeclaration) -> (code: String, message: String)? {
        guard module is any Relux.Plugin else { return nil }
        func list(_ topics: some Sequence<Topic>) -> String {
            let names = Set(topics).sorted().map(\.rawValue)
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        let shared = module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic }
        let facts = [
            ("handles", list((module.handles ?? []).map { $0.wireTopic }), list(declaration.handles)),
            ("emits", list((module.emits ?? []).map { $0.wireTopic }), list(declaration.emits)),
            ("provides", list(shared), list(declaration.provides)),
            ("isSerial", "\(module.isSerial)", "\(declaration.handling == .serial)"),
            ("moduleID", module.moduleID.rawValue, declaration.id.rawValue),
        ]
        guard let (name, instance, type) = facts.first(where: { $0.1 != $0.2 }) else { return nil }
        let what = name == "provides" ? "the snapshots that its relays share are" : "its instance has"
        return ("host.declaration", "the type of \(declaration.id) says \(name): \(type); \(what) \(instance). Say it in `static var \(name)` alone")
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
        if let broken = difference(of: module, declaration) { return broken }
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
