/// The name of a new module: it becomes a Swift type, six Swift modules, libraries and a topic.
package struct ModuleName: Hashable, Sendable {
    package let text: String

    /// Characters at most; the longest file name it is part of has forty more.
    private static let limit = 48
    private static let taken: Set = [
        "Any", "Array", "App", "Bool", "Business", "Character", "Cluster", "CodingKey", "Data", "Date", "Dictionary", "Dispatch", "Double",
        "Effect",
        "Error", "Float", "Foundation", "Glibc", "IoC", "Int", "Logging", "Module", "Never", "Optional", "Protocol", "Relux", "Result",
        "Saga",
        "Secret", "Self", "Sendable", "Set", "State", "String", "Swift", "Synchronization", "Task", "Testing", "Type", "UI", "URL", "Void",
    ]
    private static let layers = [
        "Models", "ReluxInt", "ReluxImpl", "ServiceInt", "ServiceImpl", "TestSupport", "Kit", "UI", "UIAPI", "Tests", "Impl", "Interfaces",
        "Implementations",
    ]

    /// - Throws: `new.name`, with the character or the word that is wrong.
    package init(domain text: String) throws(ScaffoldError) {
        try self.init(checked: text, example: "Weather")
        guard !text.hasSuffix("Orchestration") else {
            throw Self.wrong(
                text, "a domain's name does not end with Orchestration, for that makes an orchestrator",
                "use `relux new orchestrator \(text)`")
        }
    }

    /// `Commerce` and `CommerceOrchestration` are the same.
    package init(orchestrator text: String) throws(ScaffoldError) {
        let suffix = "Orchestration"
        try self.init(checked: text.hasSuffix(suffix) && text != suffix ? text : text + suffix, example: "Commerce")
    }

    /// `Login` and `LoginFeature` are the same.
    package init(feature text: String) throws(ScaffoldError) {
        let suffix = "Feature"
        try self.init(checked: text.hasSuffix(suffix) && text != suffix ? String(text.dropLast(suffix.count)) : text, example: "Login")
    }

    private init(checked text: String, example: String) throws(ScaffoldError) {
        let shown = text.utf8.count > 2 * Self.limit ? "\(text.prefix(Self.limit))…" : text
        guard let first = text.utf8.first, (0x41...0x5a).contains(first) else {
            throw Self.wrong(shown, "it must begin with a letter from A to Z", "write it as a Swift type, such as \(example)")
        }
        if let bad = text.unicodeScalars.first(where: { !$0.isASCII || !Self.isLetterOrDigit(UInt8(truncatingIfNeeded: $0.value)) }) {
            throw Self.wrong(
                shown, "'\(bad)' is in it; letters from A to Z and a to z and digits may be", "write it as a Swift type, such as \(example)"
            )
        }
        guard text.utf8.count <= Self.limit else {
            throw Self.wrong(shown, "it has \(text.utf8.count) characters, the limit is \(Self.limit)", "use a shorter word")
        }
        guard !Self.taken.contains(text), !text.hasPrefix("Relux") else {
            throw Self.wrong(shown, "Swift or Relux has that name already, or keeps it", "use the domain's own word, such as \(example)")
        }
        if let layer = Self.layers.first(where: { text.hasSuffix($0) }) {
            throw Self.wrong(
                shown, "it ends with \(layer), which is how a layer's library ends", "leave that ending out: layers get it by themselves")
        }
        self.text = text
    }

    /// `user-profile` of `UserProfile`: in pages and file names.
    var lowercase: String {
        var words = ""
        for character in text {
            if character.isUppercase, let last = words.last, !last.isUppercase, last != "-" { words += "-" }
            words += character.lowercased()
        }
        return words
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    private static func wrong(_ text: String, _ why: String, _ hint: String) -> ScaffoldError {
        ScaffoldError("new.name", "'\(text)' cannot be a module's name: \(why)", hint: hint)
    }
}
