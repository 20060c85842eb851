/// The characters of names that travel: ASCII letters, digits, `_`, `-`, in segments between dots.
enum NameGrammar {
    /// The fault of `name`, or nil.
    static func fault(in name: String, limit: Int) -> String? { fault(in: name.utf8[...], limit: limit) }

    /// By its bytes: what follows a character may be one with it.
    static func fault(in bytes: Substring.UTF8View, limit: Int) -> String? {
        guard !bytes.isEmpty else { return "is empty" }
        guard bytes.count <= limit else { return "has \(bytes.count) bytes, \(limit) are allowed" }
        var isSegmentEmpty = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard !isSegmentEmpty else { return "has an empty segment" }
                isSegmentEmpty = true
            } else {
                guard isAllowed(byte) else { return "has a character other than A-Z a-z 0-9 _ - ." }
                isSegmentEmpty = false
            }
        }
        return isSegmentEmpty ? "ends with a dot" : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            return true
        default: return false
        }
    }

    /// `name` without what could steer a terminal, for messages.
    static func quoted(_ name: String) -> String { "'" + String(name.cut(to: 80).unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }) + "'" }
}
