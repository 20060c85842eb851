package import ReluxWire

/// Which effects are wanted: `Auth.Business.Effect.login`, with `*` for one segment and a final `**` for the rest.
///
/// The case counts as the last segment. A pattern without wildcards that names a whole topic means all its cases.
package struct TapPattern: Sendable, Hashable, CustomStringConvertible {
    private enum Segment: Sendable, Hashable {
        case literal(Substring)
        case one
        case rest
    }

    package static let everything = TapPattern(segments: [.rest], description: "**")

    package let description: String
    private let segments: [Segment]

    private init(segments: [Segment], description: String) {
        self.segments = segments
        self.description = description
    }

    /// - Throws: ``TapError`` with the offending segment.
    package init(_ text: String) throws(TapError) {
        var segments: [Segment] = []
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            switch part {
            case "*": segments.append(.one)
            case "**" where index == parts.count - 1: segments.append(.rest)
            case "**": throw TapError(.pattern, "'**' in '\(text)' may only be its last segment; use '*' for one segment")
            case _ where part.isEmpty:
                throw TapError(.pattern, "'\(text)' has an empty segment; write it like Auth.Business.Effect.* or Auth.**")
            case _ where part.contains("*"):
                throw TapError(.pattern, "'\(part)' in '\(text)' is half a wildcard; '*' stands for a whole segment")
            case _ where part.utf8.allSatisfy(Self.isAllowed): segments.append(.literal(part))
            default: throw TapError(.pattern, "'\(part)' in '\(text)' has a character other than A-Z a-z 0-9 _ -")
            }
        }
        self.init(segments: segments, description: text)
    }

    /// The beginning of every wanted topic; a subscription to it leaves the rest in the publisher's process.
    package var prefix: String {
        let literals = segments.prefix { if case .literal = $0 { true } else { false } }
        // Without a wildcard the last segment may be the case.
        let kept = literals.count == segments.count ? literals.dropLast() : literals
        return kept.map { if case .literal(let text) = $0 { String(text) } else { "" } }.joined(separator: ".")
    }

    package func matches(_ topic: Topic, caseName: String) -> Bool {
        if topic.isReserved { return false }
        if topic.rawValue == description { return true }
        let path = topic.rawValue.split(separator: ".") + (caseName.isEmpty ? [] : [caseName[...]])
        for (index, segment) in segments.enumerated() {
            if segment == .rest { return true }
            guard index < path.count else { return false }
            if case .literal(let text) = segment, text != path[index] { return false }
        }
        return path.count == segments.count
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
