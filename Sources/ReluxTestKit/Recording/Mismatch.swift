import Relux

/// Why an assertion failed, for people: heading, diff, legend.
public struct Mismatch: Equatable, Sendable, CustomStringConvertible {
    public let heading: String
    /// One line each: `- ` expected only, `+ ` actual only, two spaces for both.
    public let diff: [String]

    public init(heading: String, expected: [String], actual: [String]) {
        self.heading = heading
        diff = LineDiff(from: expected, to: actual).lines
    }

    public var description: String { "\(heading)\n\n\(diff.joined(separator: "\n"))\n\n(- expected, + actual)" }
}
