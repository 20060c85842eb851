import Foundation
import ReluxLayers

/// Looks at packages, and at what lies around them, for each point of the seeds' checklists.
struct ChecklistInspector {
    let packages: [PackageModel]
    let graph: ModuleGraph
    let survey: SourceSurvey
    /// Lint's findings in the packages that are looked at.
    let findings: [Finding]
    let around: Neighbourhood
    /// The text of a file; nil when it is not there.
    let read: (String) -> String?

    /// One list for each domain, orchestrator and user interface, and one for a domain's features.
    func lists() -> [Checklist] {
        let modules = graph.inOrder.filter { !$0.isContext && !packages[$0.package].isCore }
        var domains: [String] = []
        var orchestrators: [String] = []
        var views: [String] = []
        for module in modules {
            switch module.role {
            case .layer(let layer, let domain) where layer.isView: if !views.contains(domain) { views.append(domain) }
            case .layer(_, let domain): if !domains.contains(domain) { domains.append(domain) }
            case .orchestrator(let name): if !orchestrators.contains(name) { orchestrators.append(name) }
            default: break
            }
        }
        return domains.flatMap { [domain($0)] + features($0) } + orchestrators.map { orchestrator($0) } + views.map { view($0) }
    }

    // MARK: What every list asks

    func products(_ names: [String]) -> [String: PackageModel.Product.Kind] {
        Dictionary(
            packages.flatMap(\.products).filter { names.contains($0.name) }.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
    }

    /// Lint's findings in a module's sources, or in its manifest about it, by any of the rules.
    func faults(_ targets: [String], _ isRule: (LintRule) -> Bool) -> [String] {
        let files = Set(targets.flatMap { survey.files[$0] ?? [] })
        return findings.filter { finding in
            isRule(finding.rule) && (files.contains(finding.place.file) || targets.contains { finding.message.hasPrefix("\($0) ") })
        }.map { "\($0.rule.id): \($0.message)" }
    }

    func registered(_ module: String) -> (state: Checklist.State, reason: String) {
        let files = around.clusters.filter { $0.value.contains(module) }.keys.sorted()
        if !files.isEmpty { return (.done, "it runs by \(files.joined(separator: ", "))") }
        return (.open, "no cluster's file has `- module: \(module)`: neither one beside it nor one of the checkout's deploy folder")
    }

    func tests(_ target: String) -> (missing: [String], seen: String) {
        let count = survey.tests[target] ?? 0
        return (count == 0 ? ["\(target) has no @Test"] : [], "\(count) tests in \(target)")
    }

    func names(_ declared: [SourceSurvey.Declared]) -> String { declared.map(\.path).sorted().joined(separator: ", ") }
}
