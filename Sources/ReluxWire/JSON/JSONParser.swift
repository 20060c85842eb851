extension JSONValue {
    /// The value that `text` holds, strictly by RFC 8259.
    /// - Throws: `malformed` with line and column, also for a member that comes twice; `limitExceeded` over
    ///   ``CBORLimits/depth`` levels.
    public init(parsing text: String) throws(WireError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// As above for UTF-8.
    public init(parsing utf8: [UInt8]) throws(WireError) {
        var parser = JSONParser(bytes: utf8)
        self = try parser.document()
    }
}

/// A recursive-descent parser over UTF-8. Its recursion is bounded by the depth limit.
struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(WireError) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard position == bytes.count else { throw failure("only blanks may follow the value") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(WireError) -> JSONValue {
        guard depth <= CBORLimits.depth else {
            throw failure("nested deeper than \(CBORLimits.depth)", code: .limitExceeded)
        }
        skipBlanks()
        guard let next else { throw failure("a value is expected, but the text ends", code: .truncated) }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw failure("a value is expected")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(WireError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[position..<end].elementsEqual(expected) else { throw failure("a value is expected") }
        position = end
        return value
    }

    private mutating func array(depth: Int) throws(WireError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipBlanks()
        if consume("]") { return .array([]) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
            if consume("]") { return .array(elements) }
            guard consume(",") else { throw failure("',' or ']' is expected") }
        }
    }

    private mutating func object(depth: Int) throws(WireError) -> JSONValue {
        position += 1
        var members: [JSONValue.Member] = []
        var keys: Set<String> = []
        skipBlanks()
        if consume("}") { return .object([]) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure("a member name in quotes is expected") }
            let start = position
            let key = try string()
            guard keys.insert(key).inserted else {
                position = start
                // Two spellings of the same characters are one key to Swift, and to whoever reads what it has stored.
                let isSpelledAlike = members.contains { $0.key.utf8.elementsEqual(key.utf8) }
                throw failure("the member '\(key)' comes twice" + (isSpelledAlike ? "" : ", in two spellings of the same characters; keep one of them"))
            }
            skipBlanks()
            guard consume(":") else { throw failure("':' is expected") }
            members.append(JSONValue.Member(key, try value(depth: depth + 1)))
            skipBlanks()
            if consume("}") { return .object(members) }
            guard consume(",") else { throw failure("',' or '}' is expected") }
        }
    }

    private mutating func number() throws(WireError) -> JSONValue {
        let start = position
        let isNegative = consume("-")
        let digits = position
        skipDigits()
        guard position > digits else { throw failure("a digit is expected") }
        guard bytes[digits] != UInt8(ascii: "0") || position == digits + 1 else {
            position = digits
            throw failure("a number does not start with 0")
        }
        var isInteger = true
        if consume(".") {
            isInteger = false
            try requireDigits()
        }
        if consume("e") || consume("E") {
            isInteger = false
            if !consume("+") { _ = consume("-") }
            try requireDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let isNegativeZero = isNegative && text == "-0"
        if isInteger, !isNegativeZero, let value = Int128(text), value >= -1 - Int128(UInt64.max), value <= UInt64.max {
            return .integer(value)
        }
        guard let value = Double(text), value.isFinite else {
            position = start
            throw failure("the number \(text.cut(to: 40)) does not fit a 64-bit float")
        }
        return .number(value)
    }

    private mutating func skipDigits() {
        while let byte = next, byte >= 0x30 && byte <= 0x39 { position += 1 }
    }

    private mutating func requireDigits() throws(WireError) {
        let start = position
        skipDigits()
        guard position > start else { throw failure("a digit is expected") }
    }

    func failure(_ message: String, code: WireError.Code = .malformed) -> WireError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0a } + 1
        let column = before.reversed().prefix { $0 != 0x0a }.count { $0 & 0xc0 != 0x80 } + 1
        return WireError(code, "JSON line \(line), column \(column): \(message)")
    }
}

extension JSONParser {
    private mutating func string() throws(WireError) -> String {
        position += 1
        var text: [UInt8] = []
        let opening = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else {
                    position = opening
                    throw failure("the string is not UTF-8")
                }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text.append(contentsOf: try escape())
            case 0..<0x20:
                throw failure("a control character in a string must be written as an escape")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw failure("the string has no end", code: .truncated)
    }

    private mutating func escape() throws(WireError) -> [UInt8] {
        position += 1
        guard let byte = next else { throw failure("the string has no end", code: .truncated) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default:
            position -= 1
            throw failure("unknown escape in a string")
        }
    }

    private mutating func unicodeEscape() throws(WireError) -> [UInt8] {
        let start = position
        let unit = try codeUnit()
        var code = UInt32(unit)
        if unit & 0xfc00 == 0xd800, consume("\\") {
            guard consume("u") else { throw failure("the second half of a surrogate pair is expected") }
            let second = try codeUnit()
            guard second & 0xfc00 == 0xdc00 else { throw failure("the second half of a surrogate pair is expected") }
            code = 0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(second & 0x3ff))
        }
        guard let scalar = Unicode.Scalar(code) else {
            position = start
            throw failure("half a surrogate pair is no character")
        }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func codeUnit() throws(WireError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hex digits are expected")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
