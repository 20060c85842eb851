package import ReluxWire

extension Relux {
    /// The name that a module of this type has when its author gives none.
    ///
    /// - Parameter prefix: put before the type's path.
    package static func moduleID(of type: Any.Type, prefix: String = "") -> ModuleID {
        let path = prefix + withoutAddresses(typePath(of: type))
        let name = String((path.hasSuffix(".Module") ? path.dropLast(".Module".count) : path[...]).map { isOfName($0) ? $0 : "_" })
        let segments = name.split(separator: ".")
        let joined = segments.joined(separator: ".")
        if !joined.isEmpty, joined == name, joined.utf8.count <= ModuleID.byteLimit { return ModuleID(stringLiteral: joined) }
        // Two long paths may begin and end alike.
        var beginning = joined.prefix(ModuleID.byteLimit - 9)
        while beginning.last == "." { beginning.removeLast() }
        return ModuleID(stringLiteral: (beginning.isEmpty ? "Module" : String(beginning)) + "-" + hash(of: path))
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }

    /// A private or local type inside brackets carries the address of its context, which is another one in each run.
    private static func withoutAddresses(_ path: String) -> String {
        let mark = "(unknown context at "
        var rest = path[...]
        var clean = ""
        while let start = rest.firstRange(of: mark) {
            clean += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: ").") else { break }
            rest = rest[end.upperBound...]
        }
        return clean + rest
    }

    /// FNV-1a of the text, folded to eight hexadecimal digits.
    private static func hash(of text: String) -> String {
        let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
