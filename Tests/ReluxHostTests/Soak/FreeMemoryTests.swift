import Foundation
import ReluxSystem
import Testing

@Suite struct FreeMemoryTests {
    /// The private writable pages of the process in KiB, used or not: the kernel compares them with its limit of data.
    private static func counted() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmData:") })
        return try #require(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) })
    }

    /// This process links what a host links, its allocator too.
    @Test func `memory that is free counts no more against the limit of a host`() throws {
        FreeMemory.giveBack()
        let before = try Self.counted()
        var blocks: [UnsafeMutableRawPointer] = []
        // Each larger than the one before: what was freed does not hold the next one.
        for size in 1...24 {
            let block = UnsafeMutableRawPointer.allocate(byteCount: size << 20, alignment: 16)
            memset(block, 1, size << 20)
            blocks.append(block)
        }
        let most = try Self.counted()
        #expect(most - before >= 200 << 10)
        for block in blocks { block.deallocate() }
        FreeMemory.giveBack()
        let after = try Self.counted()
        #expect(after - before < (most - before) / 4, "\(before), \(most), \(after) KiB")
    }
}
