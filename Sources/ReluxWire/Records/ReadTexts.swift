/// The texts of one frame that were read last: most of its records have the same call site, topic and module.
///
/// Design notes. A text is known by where it was read: comparing two places of one buffer costs less than checking that the bytes are UTF-8 and
/// finding room for them. Short ones need no room, and are checked anew.
struct ReadTexts {
    private typealias Entry = (range: Range<Int>, text: String)
    private static let shortest = 16
    private static let limit = 4
    private var entries: [Entry] = []
    private var next = 0
    /// The last ones, whose grammar is known to be right.
    var module: ModuleID?
    var topic: Topic?

    /// nil for what is not UTF-8.
    mutating func text(at range: Range<Int>, of source: [UInt8]) -> String? {
        if range.isEmpty { return "" }
        return source.withUnsafeBytes { source in
            let bytes = UnsafeRawBufferPointer(rebasing: source[range])
            guard bytes.count >= Self.shortest else { return Self.text(of: bytes) }
            for entry in entries where entry.range.count == bytes.count {
                if Self.isEqual(UnsafeRawBufferPointer(rebasing: source[entry.range]), bytes) { return entry.text }
            }
            guard let text = Self.text(of: bytes) else { return nil }
            if entries.count < Self.limit { entries.append((range, text)) } else { entries[next] = (range, text) }
            next = (next + 1) % Self.limit
            return text
        }
    }

    /// `String(validating:as:)` is not specialised here: it looks for its metadata at run time. Nearly all texts are ASCII.
    private static func text(of bytes: UnsafeRawBufferPointer) -> String? {
        isASCII(bytes) ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var seen: UInt64 = 0
        var position = 0
        while position + 8 <= bytes.count {
            seen |= bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < bytes.count {
            seen |= UInt64(bytes[position])
            position += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    /// Compares bytes of the same length, eight at least.
    private static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        let last = right.count - 8
        while true {
            if left.loadUnaligned(fromByteOffset: position, as: UInt64.self) != right.loadUnaligned(fromByteOffset: position, as: UInt64.self) {
                return false
            }
            if position == last { return true }
            position = min(position + 8, last)
        }
    }
}
