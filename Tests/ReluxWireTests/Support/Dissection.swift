/// Frames and records as commented hex, read by the words of WireFormat.md alone: a second, independent reader.
struct Dissection {
    let bytes: [UInt8]
    private(set) var position = 0
    private(set) var text = ""

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func frame(_ bytes: [UInt8]) -> String {
        var dissection = Dissection(bytes)
        dissection.frame()
        return dissection.text
    }

    /// A record without a frame, as one that a journal holds.
    static func record(_ bytes: [UInt8]) -> String {
        var dissection = Dissection(bytes)
        dissection.record()
        return dissection.text
    }

    static func cbor(_ bytes: [UInt8]) -> String {
        var dissection = Dissection(bytes)
        dissection.cbor(indent: "")
        return dissection.text
    }

    mutating func line(_ count: Int, _ comment: String) {
        let end = min(position + count, bytes.count)
        var rest = bytes[position..<end]
        var comment: String? = comment
        repeat {
            let hex = Hex.text(rest.prefix(16))
            rest = rest.dropFirst(16)
            text += hex + (comment.map { String(repeating: " ", count: 49 - hex.count) + "# " + $0 } ?? "") + "\n"
            comment = nil
        } while !rest.isEmpty
        position = end
    }

    func peekVarint(at start: Int) -> (value: UInt64, count: Int) {
        var value: UInt64 = 0
        var count = 0
        while start + count < bytes.count {
            let byte = bytes[start + count]
            value |= UInt64(byte & 0x7f) << UInt64(7 * count)
            count += 1
            if byte < 0x80 { break }
        }
        return (value, count)
    }

    @discardableResult
    mutating func varint(_ name: String) -> UInt64 {
        let (value, count) = peekVarint(at: position)
        line(count, "\(name): \(value)")
        return value
    }

    mutating func string(_ name: String) {
        let (length, count) = peekVarint(at: position)
        let start = position + count
        let content = String(decoding: bytes[start..<start + Int(length)], as: UTF8.self)
        line(count + Int(length), "\(name): \"\(content)\"")
    }

    mutating func list(_ name: String, _ body: (inout Dissection) -> Void) {
        for _ in 0..<varint("\(name): count") { body(&self) }
    }

    mutating func cborField(_ name: String) {
        if varint("\(name): length") > 0 { cbor(indent: "  ") }
    }

    private mutating func frame() {
        let topic = bytes.prefix { $0 != 0 }
        line(topic.count, "topic: \"\(String(decoding: topic, as: UTF8.self))\"")
        line(1, "end of the topic")
        line(1, "version: \(bytes[position])")
        string("publisher")
        varint("epoch")
        let count = varint("records")
        line(4, "crc32c of all that follows")
        for _ in 0..<count { record() }
    }

    private mutating func cbor(indent: String) {
        let initial = bytes[position]
        let extra = [24: 1, 25: 2, 26: 4, 27: 8][initial & 31] ?? 0
        let argument = extra == 0
            ? UInt64(initial & 31) : bytes[position + 1...position + extra].reduce(0) { $0 << 8 | UInt64($1) }
        switch initial >> 5 {
        case 0: line(1 + extra, "\(indent)\(argument)")
        case 1: line(1 + extra, "\(indent)\(-1 - Int64(argument))")
        case 2: line(1 + extra + Int(argument), "\(indent)\(argument) bytes")
        case 3:
            let start = position + 1 + extra
            line(1 + extra + Int(argument), "\(indent)\"\(String(decoding: bytes[start..<start + Int(argument)], as: UTF8.self))\"")
        case 4:
            line(1 + extra, "\(indent)array of \(argument)")
            for _ in 0..<argument { cbor(indent: indent + "  ") }
        case 5:
            line(1 + extra, "\(indent)map of \(argument)")
            for _ in 0..<2 * argument { cbor(indent: indent + "  ") }
        case 6:
            line(1 + extra, "\(indent)tag \(argument)")
            cbor(indent: indent + "  ")
        default:
            switch initial {
            case 0xf4: line(1, "\(indent)false")
            case 0xf5: line(1, "\(indent)true")
            case 0xf6: line(1, "\(indent)null")
            case 0xfa: line(5, "\(indent)float \(Float(bitPattern: UInt32(argument)))")
            default: line(9, "\(indent)double \(Double(bitPattern: argument))")
            }
        }
    }
}
