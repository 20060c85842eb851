import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire

func name(_ text: String) -> ModuleID {
    let id: ModuleID? = ModuleID(rawValue: text)
    return id ?? "Invalid"
}

func declaration(
    _ id: ModuleID, _ kind: ModuleDeclaration.Kind, version: String = "1.0.0", handles: [Topic] = [],
    emits: [Topic] = [], provides: [Topic] = [], durabilities: [Topic: Relux.Durability] = [:]
) -> ModuleDeclaration {
    ModuleDeclaration(
        id: id, version: version, kind: kind, handles: handles, emits: emits, provides: provides,
        durabilities: durabilities)
}

extension Registry {
    var noteLines: [String] { notes.map(\.description) }
}

extension ClientRequest.Body {
    /// An effect of the demo's Auth.
    static var login: Self { .emit(topic: "Auth.Business.Effect", payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: "test") }
}

extension ClientResponse.Body {
    var refusal: (code: String, message: String, passes: String?)? {
        if case .refused(let code, let message, let passes) = self { (code, message, passes) } else { nil }
    }
    var lines: [String]? {
        if case .done(let lines) = self { lines } else { nil }
    }
}

/// The demo's cluster: two infrastructure modules, three domains, one orchestrator.
extension FakeCluster {
    mutating func demo() -> [HostSpec] {
        [
            host(
                declaration("SessionOrchestration", .orchestrator, handles: ["Auth.Business.Effect"]),
                imports: ["AuthReluxInt", "AuthModels", "ProfileReluxInt"]),
            host(
                declaration(
                    "Auth", .domain, handles: ["Auth.Business.Effect"], emits: ["Auth.Business.Effect"],
                    provides: ["Auth.Business.Snapshot"]),
                imports: ["AuthModels", "AuthReluxInt", "AuthServiceImpl", "NavigationReluxInt", "Relux"]),
            host(
                declaration("Profile", .domain, handles: ["Profile.Business.Effect"]),
                imports: ["ErrorHandlingReluxInt"]),
            host(declaration("Notes", .domain)),
            host(declaration("Navigation", .infrastructure), imports: ["ErrorHandlingReluxInt"]),
            host(declaration("ErrorHandling", .infrastructure)),
        ]
    }
}
