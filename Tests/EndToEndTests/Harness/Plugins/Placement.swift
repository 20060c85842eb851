import Foundation
import Testing

/// How the modules are spread over processes; no module and no test may tell the difference.
enum Placement: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case ownHosts = "each module in its own host"
    case sharedDomains = "all domains in one shared host"
    case notesExecutable = "Notes as its own executable"

    var testDescription: String { rawValue }

    static let infrastructure = ["ErrorHandling", "Navigation"]
    static let domains = ["Auth", "Profile", "Settings", "Notes", "Library", "Files", "Sync"]
    static let orchestrators = ["SessionOrchestration", "DataOrchestration"]
    static let modules = infrastructure + domains + orchestrators
    /// Those of deploy/commerce.yaml.
    static let shop = infrastructure + ["Auth", "Cart", "Checkout", "Payment", "CommerceOrchestration"]

    /// The element of `cluster.plugins` for a module, as lines of YAML.
    func entry(for module: String) -> [String] {
        var lines = ["- module: \(module)"]
        if self == .sharedDomains, Self.domains.contains(module) { lines.append("  host: domains") }
        if self == .notesExecutable, module == "Notes" { lines.append("  executable: \(Built.path("notes"))") }
        return lines
    }
}

/// The products of the same build, beside the tests.
enum Built {
    /// `RELUX_E2E_BUILD` names another build's, for figures of a release: its processes and libraries are used then.
    static let directory =
        ProcessInfo.processInfo.environment["RELUX_E2E_BUILD"]
        ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    static func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// The root of the repository.
    static let repository = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5)
        .reduce(URL(fileURLWithPath: "/")) { $0.appendingPathComponent($1) }.path
}
