extension ErrorCode {
    /// The codes of `relux lint` about images, generated files and its own comments.
    package static let checking = [image, staleWire, syntax, silence, staleSilence]

    package static let image = ErrorCode(
        "image.markers",
        why: "a type that two libraries define is two types: casts between them are false, without any error",
        remedy: "link the models as a product of the package's self-reference, never as a target, and build again")

    package static let staleWire = ErrorCode(
        "wire.stale",
        why: "a generated file that lags behind its sources does not compile, is slower than it has to be, or links what nobody imports",
        remedy: "run relux generate, and commit what it writes")

    package static let syntax = ErrorCode(
        "source.syntax", why: "what cannot be parsed cannot be checked", remedy: "make it compile first")

    package static let silence = ErrorCode(
        "silence.reason", why: "a rule is silenced only with a reason that a reviewer can judge",
        remedy: "write // lint:allow RULE: the reason, with a rule's name from `relux lint --rules`")

    package static let staleSilence = ErrorCode(
        "silence.stale", why: "a silence without a finding hides the next one", remedy: "remove the comment")
}
