import ReluxLayers
import ReluxOutput

/// Takes out what a comment silences, and finds silences that are none.
struct Silencing {
    private let silences: [String: [Silence]]

    init(_ files: [SourceFile]) {
        silences = Dictionary(files.map { ($0.path, $0.silences) }, uniquingKeysWith: { $0 + $1 })
    }

    func apply(to report: inout LintReport) {
        var used: Set<Place> = []
        var left: [Finding] = []
        for var finding in report.findings {
            let silence = silences[finding.place.file]?.first { silence in
                silence.rule == finding.rule.id && !silence.reason.isEmpty && silence.lines.contains(finding.place.line)
            }
            guard let silence, !finding.rule.isAbsolute else {
                left.append(finding)
                continue
            }
            used.insert(Place(file: finding.place.file, line: silence.line))
            finding.silencedBecause = silence.reason
            report.silenced.append(finding)
        }
        for (file, silences) in silences {
            for silence in silences where !used.contains(Place(file: file, line: silence.line)) {
                left.append(problem(silence, Place(file: file, line: silence.line, column: 1)))
            }
        }
        report.findings = left.sorted { ($0.place, $0.rule.id) < ($1.place, $1.rule.id) }
        report.silenced.sort { ($0.place, $0.rule.id) < ($1.place, $1.rule.id) }
    }

    private func problem(_ silence: Silence, _ place: Place) -> Finding {
        guard let rule = LintRule.named(silence.rule) else {
            let meant = NearestName.meant(silence.rule, among: LintRule.all.map(\.id)).map { "; \($0)" } ?? ""
            return Finding(.silence, place, "there is no rule '\(silence.rule)'\(meant)")
        }
        if rule.isAbsolute { return Finding(.silence, place, "\(rule.id) cannot be silenced") }
        if silence.reason.isEmpty { return Finding(.silence, place, "\(rule.id) is silenced without a reason") }
        return Finding(.staleSilence, place, "\(rule.id) is silenced here and not broken")
    }
}
