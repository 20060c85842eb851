import ReluxLayers

/// Findings for people.
package enum FindingText {
    /// `file:line:column: [rule] message`, then why and what to do.
    package static func lines(_ report: LintReport) -> [String] {
        report.findings.flatMap { finding in
            [
                "\(place(finding.place)): [\(finding.rule.id)] \(finding.message)", "    why: \(finding.rule.why)",
                "    fix: \(finding.rule.remedy)",
            ]
        }
    }

    package static func summary(_ report: LintReport) -> String {
        let count = report.findings.count
        return (count == 0 ? "clean" : "\(count) finding\(count == 1 ? "" : "s")")
            + "; \(report.files) files of \(report.targets) targets, \(report.silenced.count) silenced"
    }

    package static func rules() -> [String] {
        LintRule.all.flatMap { ["\($0.id)", "    why: \($0.why)", "    fix: \($0.remedy)"] }
    }

    private static func place(_ place: Place) -> String {
        place.line == 0 ? place.file : "\(place.file):\(place.line):\(place.column)"
    }
}
