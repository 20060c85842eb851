import ArgumentParser
import ReluxSupervisor
import ReluxWire

/// The value of `-o`: the shape of the data, and the form of a document.
struct OutputOption: ExpressibleByArgument, Sendable {
    enum Document: Sendable {
        case json, yaml
        case path(JSONPath)
        /// A template that cannot be read.
        case broken(JSONPath.Fault)
    }

    let format: OutputFormat
    var document = Document.json

    static let allValueStrings = ["table", "wide", "json", "ndjson", "yaml", "name", "jsonpath=TEMPLATE"]

    init(_ format: OutputFormat) { self.format = format }

    init?(argument: String) {
        if argument == "yaml" {
            self.init(.json)
            document = .yaml
        } else if argument.hasPrefix("jsonpath=") {
            self.init(.json)
            do throws(JSONPath.Fault) { document = .path(try JSONPath(String(argument.dropFirst("jsonpath=".count)))) } catch { document = .broken(error) }
        } else {
            guard let format = OutputFormat(rawValue: argument) else { return nil }
            self.init(format)
        }
    }
}

/// The shape in which data is printed.
enum OutputFormat: String, Sendable {
    /// Columns for people; `wide` has more of them.
    case table, wide
    /// One document, or one object per line.
    case json, ndjson
    /// Names alone, a line each.
    case name

    var isJSON: Bool { self == .json || self == .ndjson }
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable { case auto, always, never }

/// A duration as people write it: `500ms`, `30s`, `2m`.
struct DurationArgument: Sendable {
    let duration: Duration

    /// - Throws: what to write instead.
    init(_ text: String) throws {
        guard let duration = DurationText.parse(text) else {
            throw ValidationError("a duration is a whole number of at most 12 digits and its unit (ms, s, m or h): write \(Self.meant(by: text))")
        }
        guard duration > .zero else { throw ValidationError("it must be above zero: write 1ms or more") }
        self.duration = duration
    }

    /// The nearest that is one: `500ms` for `0.5s`, `120h` for `5d`, `5s` for `5`.
    private static func meant(by text: String) -> String {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let factors: KeyValuePairs = ["ms": 1.0, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
        // `min` is a minute, `hours` are hours.
        let factor = factors.first { unit.hasPrefix($0.key) }?.value ?? 1000
        guard let number = Double(digits) else { return "30s" }
        let milliseconds = (number * factor).rounded()
        guard milliseconds < 1e15 else { return "24h" }
        let whole = max(1, Int64(milliseconds))
        for (name, size) in [("h", Int64(3_600_000)), ("m", 60_000), ("s", 1000)] where whole % size == 0 { return "\(whole / size)\(name)" }
        return "\(whole)ms"
    }

    var milliseconds: UInt64 { UInt64(clamping: Int64(duration / .milliseconds(1))) }
}

/// A number of lines, effects or batches.
enum CountArgument {
    /// - Throws: the limits.
    static func parse(_ text: String) throws -> Int {
        guard let count = Int(text), count >= 0 else { throw ValidationError("write a whole number from 0 to \(Int.max)") }
        return count
    }
}

/// The options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The cluster's run directory; over RELUX_RUN and the configuration.", valueName: "dir"))
    var run: String?

    @Option(
        help: ArgumentHelp(
            "The cluster's file; else RELUX_CONFIG, else deploy/cluster.yaml here or in a folder above, else the installed one.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The cluster's context; see relux context.", valueName: "name"), completion: Completions.contexts)
    var context: String?

    @Flag(help: "Print JSON; the same as -o json. Errors are JSON too, on standard error.")
    var json = false

    @Option(name: [.short, .customLong("output")], help: "How data is printed.")
    var output: OutputOption?

    @Option(help: ArgumentHelp("How long to wait for an answer, such as 500ms or 30s.", valueName: "duration"), transform: DurationArgument.init)
    var timeout: DurationArgument?

    @Option(help: "Colours; auto means on a terminal without NO_COLOR.")
    var color: ColorChoice = .auto

    @Flag(name: .shortAndLong, help: "Say nothing on standard error but errors.")
    var quiet = false

    init() {}

    var format: OutputFormat { output?.format ?? (json ? .json : .table) }

    /// How a document is written where `format` is JSON.
    var document: OutputOption.Document { output?.document ?? .json }

    /// Whether errors are JSON too.
    var isJSON: Bool {
        guard format.isJSON, case .json = document else { return false }
        return true
    }
}
