/// The parts of a step's log that a person wants to know. Pure.
enum StepReading {
    /// Lines that say what is wrong, without repetition: compilers' errors and failed tests, and findings with their places.
    /// When nothing looks like it, the log's last lines.
    static func errors(_ step: DevStep, _ log: String, limit: Int = 8) -> [String] {
        let lines = log.split(whereSeparator: \.isNewline).map { plain($0) }.filter { !$0.isEmpty }
        if step == .look, let words = refusal(log) { return words }
        if step == .generate, let first = lines.firstIndex(where: { $0.hasPrefix("relux: ") }) { return Array(lines[first...].prefix(limit)) }
        var seen: Set<String> = []
        let errors = lines.filter { isError($0, step) && seen.insert($0).inserted }
        if errors.isEmpty { return Array(lines.suffix(limit)) }
        let left = errors.count - limit
        return errors.prefix(limit) + (left > 0 ? ["… and \(left) more"] : [])
    }

    /// The work that was done, in one line; empty when the outcome says all.
    static func note(_ step: DevStep, _ log: String) -> String {
        let lines = log.split(whereSeparator: \.isNewline).map { plain($0) }
        switch step {
        case .generate:
            // The last line counts, on standard error as the remarks.
            let files = lines.filter { $0.contains("+Wire.generated.swift: ") }
            return (files.first ?? "") + (files.count > 1 ? " … and \(files.count - 1) more" : "")
        case .build, .look: return ""
        case .test:
            guard let line = lines.last(where: { $0.contains("Test run with ") }) else { return "" }
            let words = line.drop { $0 != "T" }.dropFirst("Test run with ".count)
            return words.firstRange(of: " passed").map { String(words[..<$0.upperBound]) } ?? String(words)
        case .pack: return lines.last { $0.contains("  packed  ") || $0.contains("  unchanged  ") } ?? ""
        case .lint, .load: return lines.last { !$0.isEmpty } ?? ""
        // Then comes the way back.
        case .upgrade: return lines.first { !$0.isEmpty } ?? ""
        }
    }

    private static func isError(_ line: String, _ step: DevStep) -> Bool {
        switch step {
        case .build: return line.contains("error: ") && !line.hasPrefix(" ")
        case .test: return line.contains("error: ") || line.hasPrefix("✘ Test ") || line.contains("Fatal error")
        case .lint: return line.contains(": [") && !line.hasPrefix(" ") || line.hasPrefix("relux: ")
        case .generate, .pack, .look, .load, .upgrade: return false
        }
    }

    /// Without colours and what else a terminal is told.
    private static func plain(_ line: Substring) -> String {
        var (text, isEscape) = ("", false)
        for scalar in line.unicodeScalars {
            if scalar == "\u{1b}" {
                isEscape = true
            } else if isEscape {
                if scalar.properties.isAlphabetic { isEscape = false }
            } else if scalar.value >= 0x20 {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
