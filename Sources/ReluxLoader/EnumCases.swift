/// Makes the cases of an enum that nobody lists: an enum without payloads is the number of its case, in the order of the source,
/// in as few bytes as hold them all. Source: "Enums" in `docs/ABI/TypeLayout.rst` of the Swift project.
enum EnumCases {
    /// Nil when the type is laid out in another way, when a raw value does not lead back to its case, or when raw values are
    /// neither texts nor whole numbers.
    static func rawValues<T: RawRepresentable>(of type: T.Type, count: Int) -> [String]? {
        guard (1...65536).contains(count), _isPOD(type), MemoryLayout<T>.size == tagBytes(count) else { return nil }
        var values: [String] = []
        for tag in 0..<count {
            let raw = value(type, tag: tag).rawValue
            guard let again = T(rawValue: raw), self.tag(of: again) == tag, let text = text(raw) else { return nil }
            values.append(text)
        }
        return values
    }

    private static func tagBytes(_ count: Int) -> Int { count == 1 ? 0 : count <= 256 ? 1 : 2 }

    private static func value<T>(_ type: T.Type, tag: Int) -> T {
        withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { place in
            let bytes = UnsafeMutableRawBufferPointer(start: place.baseAddress, count: MemoryLayout<T>.size)
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: tag >> (8 * index)) }
            return place[0]
        }
    }

    private static func tag<T>(of value: T) -> Int {
        withUnsafeBytes(of: value) { bytes in
            bytes.prefix(MemoryLayout<T>.size).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        }
    }

    private static func text(_ raw: Any) -> String? {
        switch raw {
        case let text as String: text
        case let character as Character: String(character)
        case let number as any BinaryInteger: "\(number)"
        default: nil
        }
    }
}
