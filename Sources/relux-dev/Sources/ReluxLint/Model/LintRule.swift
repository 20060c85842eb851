package import ReluxLayers

/// One rule: an entry of the catalogue of codes that is about sources.
package typealias LintRule = ErrorCode

extension ErrorCode {
    /// All rules of the linter, in the order of the handbook.
    package static let all = layering + linking + orchestration + state + checking

    package static func named(_ id: String) -> LintRule? { all.first { $0.id == id } }

    /// Whether the rule cannot be silenced.
    var isAbsolute: Bool { [LintRule.silence, .staleWire, .staleSilence, .syntax].contains(self) }
}
