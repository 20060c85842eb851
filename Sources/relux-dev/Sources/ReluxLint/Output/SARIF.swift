import ReluxLayers

/// Findings for code scanners.
///
/// Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to 3.35.
package struct SARIF: Encodable {
    private struct Message: Encodable { let text: String }

    private struct Rule: Encodable {
        let id: String
        let shortDescription: Message
        let help: Message
    }

    private struct Driver: Encodable {
        let name = "relux lint"
        let rules: [Rule]
        private enum CodingKeys: CodingKey { case name, rules }
    }

    private struct Tool: Encodable { let driver: Driver }

    private struct Artifact: Encodable {
        let uri: String
        let uriBaseId: String?
    }

    private struct Region: Encodable {
        let startLine: Int
        let startColumn: Int
    }

    private struct Physical: Encodable {
        let artifactLocation: Artifact
        /// Absent for a file without lines.
        let region: Region?
    }

    private struct Location: Encodable { let physicalLocation: Physical }

    private struct Suppression: Encodable {
        let kind = "inSource"
        let justification: String
        private enum CodingKeys: CodingKey { case kind, justification }
    }

    private struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int
        let level = "error"
        let message: Message
        let locations: [Location]
        let suppressions: [Suppression]?
        private enum CodingKeys: CodingKey { case ruleId, ruleIndex, level, message, locations, suppressions }

        init(_ finding: Finding) {
            ruleId = finding.rule.id
            ruleIndex = LintRule.all.firstIndex(of: finding.rule) ?? -1
            message = Message(text: "\(finding.message). Why: \(finding.rule.why). Fix: \(finding.rule.remedy)")
            let place = finding.place
            let uri = place.file.split(separator: "/", omittingEmptySubsequences: false).map { part in SARIF.escaped(part) }.joined(
                separator: "/")
            locations = [
                Location(
                    physicalLocation: Physical(
                        artifactLocation: Artifact(uri: uri, uriBaseId: place.file.hasPrefix("/") ? nil : "%SRCROOT%"),
                        region: place.line == 0 ? nil : Region(startLine: place.line, startColumn: place.column)))
            ]
            suppressions = finding.silencedBecause.map { [Suppression(justification: $0)] }
        }
    }

    private struct Run: Encodable {
        let tool: Tool
        let columnKind = "utf16CodeUnits"
        let results: [Result]
        private enum CodingKeys: CodingKey { case tool, columnKind, results }
    }

    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    package init(_ report: LintReport) {
        let rules = LintRule.all.map { Rule(id: $0.id, shortDescription: Message(text: $0.why), help: Message(text: $0.remedy)) }
        runs = [
            Run(tool: Tool(driver: Driver(rules: rules)), results: (report.findings + report.silenced).map { Result($0) })
        ]
    }

    package var text: String { jsonText(self) }

    /// A relative reference may hold these as they are.
    private static func escaped(_ part: Substring) -> String {
        part.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || "-._~+".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }
}
