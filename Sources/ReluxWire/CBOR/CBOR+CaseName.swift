extension CBOR {
    /// The case of an encoded enum: the text itself, or the only key of the map; nil for anything else.
    public static func caseName(of payload: [UInt8]) -> String? {
        guard let first = payload.first else { return nil }
        var start = 0
        if first == 0xA1 { start = 1 } else if first & 0xE0 != 0x60 { return nil }
        guard start < payload.count, payload[start] & 0xE0 == 0x60 else { return nil }
        let short = Int(payload[start] & 0x1F)
        let (length, text): (Int, Int)
        if short < 24 {
            (length, text) = (short, start + 1)
        } else if short == 24, start + 1 < payload.count {
            (length, text) = (Int(payload[start + 1]), start + 2)
        } else {
            return nil
        }
        guard text + length <= payload.count else { return nil }
        return String(decoding: payload[text..<(text + length)], as: UTF8.self)
    }
}
