/// Finds types that exist twice: a cast between the copies is false, without any error.
enum CopyRules {
    /// Modules that only libRelux.so may define.
    private static let core = [
        "Relux", "ReluxIoC", "ReluxWire", "ReluxPlugin", "ReluxFeature", "ReluxOrchestration", "Logging",
    ]
    private static let prefixes = core.map { "$s\($0.utf8.count)\($0)" }

    /// - Throws: `loader.coreCopy` for a type of the core inside a plugin's library, `loader.typeCopy` for a type
    ///   that two of its libraries define.
    static func check(_ images: [ElfImage]) throws(LoaderError) {
        var definedIn: [String: String] = [:]
        for image in images {
            for symbol in image.typeDescriptors {
                if isCore(symbol) {
                    throw LoaderError(
                        .coreCopy, offender: image.file, "it carries its own copy of the core (\(symbol))",
                        remedy: "link Relux as the dynamic product of relux-cluster, never as a target")
                }
                if let first = definedIn.updateValue(image.file, forKey: symbol) {
                    throw LoaderError(
                        .typeCopy, offender: image.file, "it and \(first) both define \(symbol)",
                        remedy: "link the package's own products through its self-reference, never as targets")
                }
            }
        }
    }

    /// True for a type of a core module; a type that a plugin nests into one of them by an extension is the plugin's.
    private static func isCore(_ symbol: String) -> Bool {
        guard prefixes.contains(where: symbol.hasPrefix) else { return false }
        var name = MangledName(symbol)
        return !name.hasExtensionContext()
    }
}

/// Just enough of Swift's mangling to walk over a name: identifiers and substitutions are skipped, operators seen.
/// Source: `docs/ABI/Mangling.rst` of the Swift project.
private struct MangledName {
    private var rest: ArraySlice<UInt8>

    init(_ symbol: String) { rest = Array(symbol.utf8.dropFirst(2))[...] }

    /// An extension's context ends in the operator `E` behind the extending module's name.
    mutating func hasExtensionContext() -> Bool {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "E"): return true
            case UInt8(ascii: "A"):
                rest = rest.dropFirst()
                skipSubstitutions()
            case UInt8(ascii: "0")...UInt8(ascii: "9"): skipIdentifier()
            default: rest = rest.dropFirst()
            }
        }
        return false
    }

    /// `A` and then lower-case letters, each perhaps with a count, up to an upper-case one.
    private mutating func skipSubstitutions() {
        while let byte = rest.first {
            rest = rest.dropFirst()
            guard Self.isDigit(byte) || Self.isLower(byte) else { return }
        }
    }

    /// A length and that many bytes; behind a leading 0 words of earlier names, as letters, stand between them.
    private mutating func skipIdentifier() {
        var hasWords = rest.first == UInt8(ascii: "0")
        if hasWords { rest = rest.dropFirst() }
        repeat {
            while hasWords, let letter = rest.first, !Self.isDigit(letter) {
                rest = rest.dropFirst()
                hasWords = Self.isLower(letter)
            }
            var length = 0
            while let digit = rest.first, Self.isDigit(digit), length < 4096 {
                rest = rest.dropFirst()
                if length == 0, digit == UInt8(ascii: "0") { return }
                length = length * 10 + Int(digit - UInt8(ascii: "0"))
            }
            rest = rest.dropFirst(length)
        } while hasWords && !rest.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
