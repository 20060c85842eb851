import ReluxWire
import Testing

@Suite struct CRC32CTests {
    private static let checkValues: [([UInt8], UInt32)] = [
        (Array("123456789".utf8), 0xe306_9283), ([], 0), ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
        ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43), (Array(0..<32), 0x46dd_794e), (Array((0..<32).reversed()), 0x113f_db5c),
    ]

    @Test(arguments: checkValues)
    func `the check values of RFC 3720 come out, by instruction and by tables`(bytes: [UInt8], checksum: UInt32) {
        #expect(CRC32C.checksum(bytes[...]) == checksum)
        #expect(bytes.withUnsafeBytes { CRC32C.byTables($0, continuing: 0) } == checksum)
    }

    @Test func `instruction and tables agree at every length and alignment`() {
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) }
        for start in 0..<9 {
            for end in start..<bytes.count {
                let byTables = bytes[start..<end].withUnsafeBytes { CRC32C.byTables($0, continuing: UInt32(start)) }
                guard CRC32C.checksum(bytes[start..<end], continuing: UInt32(start)) == byTables else {
                    Issue.record("bytes \(start)..<\(end) differ")
                    return
                }
            }
        }
    }

    @Test func `a checksum can be continued at any byte`() {
        let bytes = Array("The quick brown fox jumps over it.".utf8)
        for cut in 0...bytes.count {
            #expect(
                CRC32C.checksum(bytes[cut...], continuing: CRC32C.checksum(bytes[..<cut])) == CRC32C.checksum(bytes[...]))
        }
    }
}
