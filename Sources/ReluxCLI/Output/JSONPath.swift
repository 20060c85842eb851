import ReluxControl
import ReluxOutput
import ReluxWire

/// A template as kubectl's `-o jsonpath` has it: text, and in braces paths into the document.
///
/// `{.modules[*].id}` prints the values that the path leads to, a blank between them. Steps are `.name`, `['name']`, `[0]`, `[-1]` and `[*]`; `"\n"` and
/// `"\t"` in braces are text; `{range .modules[*]}{.id}{"\n"}{end}` goes over the values.
struct JSONPath: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case member(String)
        /// From the end where it is below zero.
        case index(Int)
        case all
    }

    indirect enum Part: Sendable, Equatable {
        case text(String)
        case path([Step])
        case range([Step], [Part])
    }

    /// A template or a path that cannot be followed.
    struct Fault: Error, Equatable {
        let message: String
        let hint: String
    }

    let parts: [Part]

    /// - Throws: what cannot be read, and what is written instead.
    init(_ text: String) throws(Fault) {
        // Without braces it is one path, as kubectl takes it.
        var reader = Reader(text.contains("{") ? text : "{\(text)}")
        parts = try reader.parts(inRange: false)
    }

    /// The template filled in.
    /// - Throws: a path that leads nowhere, with the nearest name.
    func text(of document: JSONValue) throws(Fault) -> String { try Self.fill(parts, document) }

    private static func fill(_ parts: [Part], _ value: JSONValue) throws(Fault) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let plain): text += plain
            case .path(let steps): text += try follow(steps, value).map(\.plain).joined(separator: " ")
            case .range(let steps, let inner): for element in try follow(steps, value) { text += try fill(inner, element) }
            }
        }
        return text
    }

    private static func follow(_ steps: [Step], _ value: JSONValue) throws(Fault) -> [JSONValue] {
        guard let step = steps.first else { return [value] }
        let rest = Array(steps.dropFirst())
        switch step {
        case .member(let name):
            guard case .object(let members) = value else { throw Fault(message: "'.\(name)' is asked of \(value.kind), which has no members", hint: "[*] goes over the elements of a list") }
            guard let next = value[name] else {
                throw Fault(message: "'.\(name)' leads nowhere", hint: NearestName.hint(name, among: members.map(\.key)))
            }
            return try follow(rest, next)
        case .index(let index):
            guard case .array(let elements) = value else { throw Fault(message: "'[\(index)]' is asked of \(value.kind), which is no list", hint: "'.name' leads into an object") }
            let place = index < 0 ? elements.count + index : index
            guard elements.indices.contains(place) else { throw Fault(message: "'[\(index)]' leads nowhere: the list has \(elements.count)", hint: "[*] goes over all") }
            return try follow(rest, elements[place])
        case .all:
            let elements: [JSONValue]
            switch value {
            case .array(let list): elements = list
            case .object(let members): elements = members.map(\.value)
            default: throw Fault(message: "'[*]' is asked of \(value.kind), which is no list", hint: "leave it out")
            }
            var found: [JSONValue] = []
            for element in elements { found += try follow(rest, element) }
            return found
        }
    }
}

extension JSONValue {
    /// A text without its quotes, anything else as JSON.
    fileprivate var plain: String {
        if case .string(let text) = self { return text }
        return text()
    }

    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer, .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONPath {
    /// Reads a template from its beginning.
    private struct Reader {
        private let characters: [Character]
        private var place = 0

        init(_ text: String) { characters = Array(text) }

        private var next: Character? { place < characters.count ? characters[place] : nil }

        private func fault(_ what: String) -> Fault {
            Fault(
                message: "'\(String(characters))' is no template: \(what) at character \(place + 1)",
                hint: #"write -o jsonpath='{.modules[*].id}', or with {range .modules[*]}{.id}{"\n"}{end}"#)
        }

        mutating func parts(inRange: Bool) throws(Fault) -> [Part] {
            var parts: [Part] = []
            var text = ""
            while let character = next {
                guard character == "{" else {
                    text.append(character)
                    place += 1
                    continue
                }
                if !text.isEmpty { parts.append(.text(text)) }
                text = ""
                place += 1
                skipBlanks()
                if take("end") {
                    guard inRange else { throw fault("an 'end' without its 'range'") }
                    try close()
                    return parts
                }
                if take("range ") {
                    let steps = try path()
                    try close()
                    parts.append(.range(steps, try self.parts(inRange: true)))
                } else if next == "\"" || next == "'" {
                    parts.append(.text(try quoted()))
                    try close()
                } else {
                    parts.append(.path(try path()))
                    try close()
                }
            }
            if inRange { throw fault("a 'range' without its 'end'") }
            if !text.isEmpty { parts.append(.text(text)) }
            return parts
        }

        private mutating func path() throws(Fault) -> [Step] {
            skipBlanks()
            if next == "$" || next == "@" { place += 1 }
            var steps: [Step] = []
            while let character = next, character == "." || character == "[" {
                place += 1
                if character == "[" {
                    steps.append(try bracket())
                } else if next == "*" {
                    place += 1
                    steps.append(.all)
                } else {
                    let name = name()
                    // `.` alone is the value itself.
                    if name.isEmpty, next != "}" && next != "[" { throw fault("a name is missing") }
                    if !name.isEmpty { steps.append(.member(name)) }
                }
            }
            return steps
        }

        private mutating func bracket() throws(Fault) -> Step {
            let step: Step
            switch next {
            case "*":
                place += 1
                step = .all
            case "'", "\"": step = .member(try quoted())
            default:
                let digits = characters[place...].prefix { $0.isASCII && ($0.isNumber || $0 == "-") }
                guard let index = Int(String(digits)) else { throw fault("'[' is followed by *, a number or a quoted name, and is not") }
                place += digits.count
                step = .index(index)
            }
            guard next == "]" else { throw fault("']' is missing") }
            place += 1
            return step
        }

        private mutating func quoted() throws(Fault) -> String {
            let quote = next
            place += 1
            var text = ""
            while let character = next, character != quote {
                place += 1
                guard character == "\\", let escaped = next else {
                    text.append(character)
                    continue
                }
                place += 1
                switch escaped {
                case "n": text.append("\n")
                case "t": text.append("\t")
                default: text.append(escaped)
                }
            }
            guard next == quote else { throw fault("a quote is not closed") }
            place += 1
            return text
        }

        private mutating func name() -> String {
            let name = characters[place...].prefix { !".[]{} \"'".contains($0) }
            place += name.count
            return String(name)
        }

        private mutating func take(_ word: String) -> Bool {
            guard characters[place...].starts(with: word) else { return false }
            place += word.count
            return true
        }

        private mutating func skipBlanks() { while next == " " { place += 1 } }

        private mutating func close() throws(Fault) {
            skipBlanks()
            guard next == "}" else { throw fault("'}' is missing") }
            place += 1
        }
    }
}
