import ReluxWire
import Testing

/// The primitives that generated coders are made of, at the places where a head grows, a word ends, or memory does.
@Suite struct CBORPrimitivesTests {
    /// The value that a reader makes of all of the bytes; nil when it refuses them or leaves some.
    private func read<Value>(_ bytes: [UInt8], _ body: (inout CBORReader) throws(WireError) -> Value) -> Value? {
        bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            guard let value = try? body(&reader), reader.isAtEnd else { return nil }
            return value
        }
    }

    private func written(_ body: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        body(&writer)
        #expect(writer.count == writer.bytes.count)
        return writer.bytes
    }

    /// Lengths around the places where a head takes a byte more, and a writer more memory.
    private static let lengths = [0, 1, 15, 16, 22, 23, 24, 25, 255, 256, 257, 511, 512, 513, 65_535, 65_536]

    @Test(arguments: lengths, ["a", "é", "語"])
    func `a text is what the generic coder writes, and is read again`(length: Int, letter: String) throws {
        let text = String(repeating: letter, count: length)
        let bytes = written { $0.text(text) }
        #expect(bytes == CBORValue.text(text).encoded())
        #expect(read(bytes) { reader throws(WireError) in try reader.text() } == text)
        #expect(read(bytes) { reader throws(WireError) in try reader.byteString() } == nil)
        for end in Set([0, 1, 2, bytes.count / 2, bytes.count - 1]) where end < bytes.count {
            #expect(read(Array(bytes[..<end])) { reader throws(WireError) in try reader.text() } == nil, "\(end)")
        }
        let raw = written { $0.byteString(Array(text.utf8)) }
        #expect(raw == CBORValue.bytes(Array(text.utf8)).encoded())
        #expect(read(raw) { reader throws(WireError) in try reader.byteString() } == Array(text.utf8))
        #expect(read(raw) { reader throws(WireError) in try reader.text() } == nil)
    }

    @Test(arguments: [
        [0x61, 0x80], [0x61, 0xff], [0x62, 0xc3, 0x28], [0x62, 0xc0, 0x80], [0x63, 0xed, 0xa0, 0x80], [0x64, 0xf4, 0x90, 0x80, 0x80], [0x62, 0xe2, 0x82],
        // Lengths that are longer than they need to be, and ones that nothing follows.
        [0x78, 0x01, 0x61], [0x78, 0x17], [0x79, 0x00, 0x18], [0x78], [0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x7f, 0xff], [0x7c],
    ] as [[UInt8]])
    func `what is no text is refused, as it is by the generic coder`(bytes: [UInt8]) {
        #expect(read(bytes) { reader throws(WireError) in try reader.text() } == nil)
        #expect(throws: WireError.self) { try CBOR.decode(String.self, from: bytes) }
    }

    @Test func `a key is consumed when it is the very one, of whatever length`() {
        func check(_ name: StaticString) {
            let bytes = written { $0.key(name) }
            #expect(bytes == CBORValue.text("\(name)").encoded())
            #expect(read(bytes) { reader in reader.key(name) } == true)
            // Any other byte makes another key of it, and nothing is consumed.
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 1
                other.withUnsafeBytes { buffer in
                    var reader = CBORReader(buffer)
                    #expect(!reader.key(name) && reader.offset == 0, "\(name), byte \(place)")
                }
                Array(bytes[..<place]).withUnsafeBytes { buffer in
                    var reader = CBORReader(buffer)
                    #expect(!reader.key(name) && reader.offset == 0, "\(name), \(place) bytes")
                }
            }
        }
        check("")
        check("x")
        check("id")
        check("tag")
        check("name")
        check("title")
        check("number")
        check("isHidden")
        check("isVisible")
        check("fifteenlettersx")
        check("sixteenlettersxy")
        check("seventeenlettersx")
        check("twentythreelettersinone")
        check("twentyfourlettersinone12")
        check("aVeryLongNameOfAFieldThatNobodyWouldWriteButSomebodyMay")
    }

    @Test func `numbers of each width, truth and null are what the generic coder says`() {
        for value in [0, 1, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max] as [Int64] {
            for value in [value, ~value] {
                let bytes = written { $0.integer(value) }
                #expect(bytes == CBORValue.integer(value).encoded())
                #expect(read(bytes) { reader throws(WireError) in try reader.integer(Int64.self) } == value)
                for end in 0..<bytes.count {
                    #expect(read(Array(bytes[..<end])) { reader throws(WireError) in try reader.integer(Int64.self) } == nil)
                }
            }
        }
        for value in [0, -0.5, .pi, .infinity, -.greatestFiniteMagnitude] as [Double] {
            let bytes = written { $0.double(value) }
            #expect(bytes == CBORValue.double(value).encoded())
            #expect(read(bytes) { reader throws(WireError) in try reader.double() } == value)
            for end in 0..<bytes.count { #expect(read(Array(bytes[..<end])) { reader throws(WireError) in try reader.double() } == nil) }
        }
        for byte in 0...255 as ClosedRange<UInt8> {
            let expected: Bool? = byte == 0xf5 ? true : byte == 0xf4 ? false : nil
            #expect(read([byte]) { reader throws(WireError) in try reader.bool() } == expected)
            let count = byte & 0xe0 == 0xa0 && byte < 0xb8 ? UInt64(byte - 0xa0) : nil
            #expect(read([byte]) { reader throws(WireError) in try reader.map() } == count)
            #expect(read([byte]) { reader throws(WireError) in try reader.array() } == (byte & 0xe0 == 0x80 && byte < 0x98 ? UInt64(byte - 0x80) : nil))
        }
    }

    @Test func `counts of containers that take more than a byte are read too`() {
        for count in [24, 255, 256, 65_536] {
            let map = written { $0.map(count: count) }
            let array = written { $0.array(count: count) }
            #expect(read(map) { reader throws(WireError) in try reader.map() } == UInt64(count))
            #expect(read(array) { reader throws(WireError) in try reader.array() } == UInt64(count))
            #expect(read(map) { reader throws(WireError) in try reader.array() } == nil)
        }
    }

    @Test func `what is missing or another type is named as before`() {
        func error<Value>(_ bytes: [UInt8], _ body: (inout CBORReader) throws(WireError) -> Value) -> String? {
            bytes.withUnsafeBytes { buffer in
                var reader = CBORReader(buffer)
                do throws(WireError) { _ = try body(&reader) } catch { return "\(error)" }
                return nil
            }
        }
        #expect(error([]) { reader throws(WireError) in try reader.bool() } == "truncated: 1 bytes are missing at byte 0, only 0 are left")
        #expect(error([0x01]) { reader throws(WireError) in try reader.bool() } == "typeMismatch: expected true or false at byte 0")
        #expect(error([0x01]) { reader throws(WireError) in try reader.double() } == "typeMismatch: expected a double at byte 0")
        #expect(error([0xfb, 0]) { reader throws(WireError) in try reader.double() } == "truncated: 8 bytes are missing at byte 1, only 1 are left")
        #expect(error([0x61, 0xff]) { reader throws(WireError) in try reader.text() } == "malformed: the text at byte 0 is not UTF-8")
        #expect(error([0x62, 0x61]) { reader throws(WireError) in try reader.text() }?.hasPrefix("truncated: an item of 2 bytes starts at byte 1") == true)
    }
}
