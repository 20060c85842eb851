import Relux
import ReluxControl
import ReluxLayers
package import ReluxPlugin

/// Decides who may link whom, over the libraries' own lists of needed libraries.
///
/// A domain links its own libraries, interfaces of the infrastructure, and the platform. An orchestrator links
/// interfaces only, and no other orchestrator. Nobody links another's implementation. Pure: files come in as names.
package struct LinkRules: Sendable {
    package let module: String
    package let kind: ModuleDeclaration.Kind
    /// Declared kinds by module name.
    package let kinds: [String: ModuleDeclaration.Kind]

    package init(module: String, kind: ModuleDeclaration.Kind, kinds: [String: ModuleDeclaration.Kind]) {
        self.module = module
        self.kind = kind
        self.kinds = kinds.filter { $0.key != module }
    }

    /// The module that owns a library file; nil for the platform's.
    /// - Throws: `layer.unknown` when its name carries no module.
    package func owner(of file: String) throws(LoaderError) -> String? {
        if LibraryName.isPlatform(file) { return nil }
        if let owner = LibraryName(file: file).owner(among: Array(kinds.keys) + [module]) { return owner }
        throw LoaderError(
            .unknown, offender: file, "a library whose name carries no declared module and that is no platform library",
            remedy: "name it lib\(module)<Part>.so if it is \(module)'s own, or declare its module first")
    }

    /// Checks the edge from one library of the plugin's directory to a library that it needs.
    package func check(file: String, needs needed: String) throws(LoaderError) {
        guard let subject = try owner(of: file), let object = try owner(of: needed) else { return }
        guard subject != object else {
            try check(kit: file, needs: needed, of: object)
            return
        }
        try check(
            file: file, subject: subject, kind: subject == module ? kind : kinds[subject] ?? .domain, needs: needed,
            of: object)
    }

    /// Checks that the plugin may carry the file at all: what it could not link has no place in its directory.
    package func check(carries file: String) throws(LoaderError) {
        guard let object = try owner(of: file), object != module else { return }
        try check(file: "plugin \(module)", subject: module, kind: kind, needs: file, of: object)
    }

    /// A kit reaches no further than the interface, or whoever links it would get what does the work along with it.
    private func check(kit file: String, needs needed: String, of object: String) throws(LoaderError) {
        guard LibraryName(file: file).layered?.layer == .kit else { return }
        switch LibraryName(file: needed).layered?.layer {
        case .interface, .models: return
        default:
            throw LoaderError(
                LoaderError.Code(.implementation), offender: file, "it links \(needed): a kit hands on models and interface, and nothing that works",
                remedy: "link lib\(object)ReluxInt.so and lib\(object)Models.so only")
        }
    }

    private func check(
        file: String, subject: String, kind: ModuleDeclaration.Kind, needs needed: String, of object: String
    ) throws(LoaderError) {
        let layer = LibraryName(file: needed).layered?.layer
        let other = object == module ? self.kind : kinds[object] ?? (object.hasSuffix("Orchestration") ? .orchestrator : nil)
        // It may come before what it imports: then it waits, and the broker judges both when the other one is declared.
        guard let rule = Layering.broken(by: ModuleKind(kind), knowing: layer, of: other.map { ModuleKind($0) }) else { return }
        func refusal(_ why: String, _ remedy: String) -> LoaderError {
            LoaderError(LoaderError.Code(rule), offender: file, "it links \(needed): \(why)", remedy: remedy)
        }
        switch rule {
        case .orchestratorToOrchestrator:
            throw refusal("orchestrator \(subject) must not depend on orchestrator \(object)", "put what both need into a domain, or merge the two")
        case .toOrchestrator:
            throw refusal(
                "\(kind.words) \(subject) must not depend on an orchestrator or a user interface", "emit an effect of its own interface and let \(object) hear it")
        case .serviceOfAnother: throw refusal("services of \(object) are its own affair", "link lib\(object)ReluxInt.so instead")
        case .implementation: throw refusal("nobody links another's implementation", "link lib\(object)ReluxInt.so instead")
        default:
            throw refusal("\(kind.words) \(subject) must not know domain \(object)", "connect them by an orchestrator that imports both interfaces")
        }
    }
}
