/// The words with which Swift stops a process, found in what the process has written: pure.
enum LastWords {
    /// As the runtime prints them behind `<file>:<line>: `, or at the start of a line.
    private static let openings = ["Fatal error", "Precondition failed", "Assertion failed"]
    private static let lineLimit = 8
    private static let characterLimit = 1024

    /// From the last opening on, up to what the backtracer adds; nil when there is none.
    static func find(in text: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.lastIndex(where: isOpening) else { return nil }
        let words = lines[first...].prefix(lineLimit).prefix { !$0.hasPrefix("*** ") && !$0.hasPrefix("\u{1F4A3}") && !$0.isEmpty }
        return String(words.joined(separator: "\n").prefix(characterLimit))
    }

    private static func isOpening(_ line: Substring) -> Bool {
        openings.contains { opening in
            guard let found = line.firstRange(of: opening + ":") else { return false }
            return found.lowerBound == line.startIndex || line[..<found.lowerBound].hasSuffix(": ")
        }
    }
}
