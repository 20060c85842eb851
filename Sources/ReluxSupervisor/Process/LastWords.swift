import ReluxWire

/// The words with which a process has ended, found in what it has written: those of Swift, of the C library, or its own. Pure.
enum LastWords {
    /// As the runtime prints them behind `<file>:<line>: `, or at the start of a line.
    private static let openings = ["Fatal error", "Precondition failed", "Assertion failed"]
    /// The backtracer's own words, once for each thread, where it may not stop them.
    private static let backtracersOwn = "failed to suspend thread"
    private static let lineLimit = 8
    private static let byteLimit = 1024

    /// From the last opening on, up to what the backtracer adds; nil when there is none.
    static func find(in text: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains(backtracersOwn) }
        guard let first = lines.lastIndex(where: isOpening) else { return nil }
        let words = lines[first...].prefix(lineLimit).prefix { !$0.hasPrefix("*** ") && !$0.hasPrefix("\u{1F4A3}") && !$0.isEmpty }
        return words.joined(separator: "\n").cut(to: byteLimit)
    }

    /// Why a program of ours says that it ends: the last thing that it refused, else the last that it said; without its own name, on one line. Of
    /// code that ends the process without a word of ours, the last line that it wrote.
    static func reason(in text: String) -> String? {
        let lines = text.split(separator: "\n")
        let said = lines.filter { $0.hasPrefix("relux-") }
        let last = lines.last { !$0.allSatisfy(\.isWhitespace) }
        guard let line = said.last(where: { $0.contains(": refused ") }) ?? (last?.hasPrefix("relux-") == true ? last : nil) else {
            return last.map { "the last line of its log is: \(String($0).cut(to: byteLimit))" }
        }
        guard let name = line.firstRange(of: ": ") else { return nil }
        let words = String(line[name.upperBound...]).cut(to: byteLimit)
        return words.isEmpty ? nil : words
    }

    private static func isOpening(_ line: Substring) -> Bool {
        isOfLibrary(line)
            || openings.contains { opening in
                guard let found = line.firstRange(of: opening + ":") else { return false }
                return found.lowerBound == line.startIndex || line[..<found.lowerBound].hasSuffix(": ")
            }
    }

    /// True for the last words of glibc, the C++ runtime and the dynamic loader.
    private static func isOfLibrary(_ line: Substring) -> Bool {
        line.contains(": Assertion `") && line.hasSuffix("failed.") || line.hasPrefix("terminate called ")
            || line.contains("error while loading shared libraries: ") || line.contains("symbol lookup error: ")
    }
}
