import Foundation
import ReluxLayers

/// Findings for programs: `relux.lint/1`.
package struct FindingJSON: Encodable {
    private struct Item: Encodable {
        let file: String
        let line: Int
        let column: Int
        let rule: String
        let message: String
        let why: String
        let remedy: String
        let reason: String?

        init(_ finding: Finding) {
            file = finding.place.file
            line = finding.place.line
            column = finding.place.column
            rule = finding.rule.id
            message = finding.message
            why = finding.rule.why
            remedy = finding.rule.remedy
            reason = finding.silencedBecause
        }
    }

    private let schema = "relux.lint/1"
    private let files: Int
    private let targets: Int
    private let findings: [Item]
    private let silenced: [Item]

    package init(_ report: LintReport) {
        files = report.files
        targets = report.targets
        findings = report.findings.map { Item($0) }
        silenced = report.silenced.map { Item($0) }
    }

    private enum CodingKeys: CodingKey { case schema, files, targets, findings, silenced }

    package var text: String { jsonText(self) }
}

/// The same value gives the same text.
func jsonText(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Only strings and numbers are in it.
    guard let data = try? encoder.encode(value) else { preconditionFailure("a report is plain text and whole numbers") }
    return String(decoding: data, as: UTF8.self)
}
