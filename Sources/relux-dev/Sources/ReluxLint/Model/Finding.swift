/// A place where a rule is broken.
package struct Finding: Hashable, Sendable {
    package let rule: LintRule
    package let place: Place
    /// The fault in words, with the names.
    package let message: String
    /// Why somebody wants it so all the same; nil for a finding that counts.
    package internal(set) var silencedBecause: String?

    package init(_ rule: LintRule, _ place: Place, _ message: String) {
        self.rule = rule
        self.place = place
        self.message = message
    }
}

/// Where something stands; a file without lines (a built library) has line 0.
package struct Place: Hashable, Sendable, Comparable {
    /// Relative to where the linter works.
    package let file: String
    /// From 1.
    package let line: Int
    /// From 1, in UTF-8 bytes.
    package let column: Int

    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    package static func < (left: Place, right: Place) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}

/// The results of a run.
package struct LintReport: Sendable {
    package internal(set) var findings: [Finding] = []
    package internal(set) var silenced: [Finding] = []
    package internal(set) var files = 0
    package internal(set) var targets = 0
    /// Whether each module is infrastructure, of those of which there are sources.
    package internal(set) var infrastructure: [String: Bool] = [:]

    package init() {}

    /// Adds what built libraries say.
    package mutating func add(_ images: ImageCheck) {
        findings += images.findings(infrastructure: infrastructure)
        files += images.descriptors.count
    }
}

/// Why linting could not be done at all: what failed, the value, the remedy.
package struct LintError: Error, CustomStringConvertible, Sendable {
    /// Stable, for programs.
    package let code: String
    package let message: String
    package let hint: String
    /// The exit status of the process; nil for the command's own.
    package let status: Int32?

    package init(_ code: String, _ message: String, hint: String, status: Int32? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
    }

    package var description: String { "\(message); \(hint)" }
}
