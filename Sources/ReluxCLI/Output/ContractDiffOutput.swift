import ReluxContract
import ReluxWire

/// `relux contract diff`, for people and for programs: `relux.contract-diff/1`.
struct ContractDiffOutput {
    let comparison: ContractComparison
    /// Versions, as far as they are known.
    let from: String?
    let to: String?

    init(_ comparison: ContractComparison, from: String? = nil, to: String? = nil) {
        self.comparison = comparison
        self.from = from
        self.to = to
    }

    var verdict: ContractComparison.Verdict { comparison.verdict }

    var status: ExitStatus {
        switch verdict {
        case .compatible: .ok
        case .newVersion: .unmet
        case .breaking: .refused
        }
    }

    private var all: [ContractComparison.Change] { comparison.changes + comparison.durabilities }

    /// Breaking changes come first.
    var lines: [String] {
        let (breaking, others) = (all.filter(\.isBreaking), all.filter { !$0.isBreaking })
        return breaking.map { "breaking     \($0)" } + others.map { "new version  \($0)" }
    }

    var summary: String {
        let versions = from.flatMap { from in to.map { "\(from) → \($0): " } } ?? ""
        let count = "\(all.count) change\(all.count == 1 ? "" : "s")"
        switch verdict {
        case .compatible: return versions + "compatible"
        case .newVersion: return versions + "\(count), none breaking; a new version is needed: raise its minor number"
        case .breaking:
            return versions + "\(count), \(comparison.breaking.count) breaking; add what is new beside what is old, or raise its major number"
        }
    }

    var changes: [JSONValue] {
        all.map { change in
            .object([
                .init("place", .string(change.place)), .init("what", .string(change.what)), .init("breaking", .bool(change.isBreaking)),
            ])
        }
    }

    var json: JSONValue {
        func version(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return .object([
            .init("schema", "relux.contract-diff/1"), .init("verdict", .string(verdict.rawValue)), .init("from", version(from)),
            .init("to", version(to)), .init("changes", .array(changes)),
        ])
    }
}
