/// One rule: its stable name, why it is there, and what to do when it is broken.
package struct LintRule: Hashable, Sendable {
    package let id: String
    package let why: String
    package let remedy: String

    init(_ id: String, why: String, remedy: String) {
        self.id = id
        self.why = why
        self.remedy = remedy
    }

    package static func == (left: LintRule, right: LintRule) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension LintRule {
    /// All there are, in the order of the handbook.
    package static let all = layering + linking + orchestration + state + [image, staleWire, syntax, silence, staleSilence]

    package static func named(_ id: String) -> LintRule? { all.first { $0.id == id } }

    /// What cannot be silenced.
    var isAbsolute: Bool { [LintRule.silence, .staleWire, .staleSilence, .syntax].contains(self) }

    static let image = LintRule(
        "image.markers",
        why: "a type that two libraries define is two types: casts between them are false, without any error",
        remedy: "link the models as a product of the package's self-reference, never as a target, and build again")

    static let staleWire = LintRule(
        "wire.stale",
        why: "generated coders that lag behind their types do not compile, or leave to Codable what they should be fast at",
        remedy: "run relux generate, and commit what it writes")

    static let syntax = LintRule(
        "source.syntax", why: "what cannot be parsed cannot be checked", remedy: "make it compile first")

    static let silence = LintRule(
        "silence.reason", why: "a rule is silenced only with a reason that a reviewer can judge",
        remedy: "write // lint:allow RULE: the reason, with a rule's name from `relux lint --rules`")

    static let staleSilence = LintRule(
        "silence.stale", why: "a silence without a finding hides the next one", remedy: "remove the comment")
}
