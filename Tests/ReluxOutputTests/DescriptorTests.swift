import Foundation
import Glibc
import ReluxOutput
import Testing

@Suite struct DescriptorTests {
    /// No child that another test starts has it.
    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    @Test func `a full device is an error and not a success`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        #expect(Descriptor.write([1], to: full) == ENOSPC)
        #expect(Descriptor.write([], to: full) == 0)
    }

    @Test func `a pipe without a reader is one that has lost it, and says so to who writes`() throws {
        signal(SIGPIPE, SIG_IGN)
        let ends = try Self.pipe()
        defer { close(ends[1]) }
        #expect(!Descriptor.hasLostReader(ends[1]))
        close(ends[0])
        #expect(Descriptor.hasLostReader(ends[1]))
        #expect(Descriptor.write([1], to: ends[1]) == EPIPE)
    }

    @Test func `a pipe that somebody has made non-blocking gets all the bytes`() throws {
        let ends = try Self.pipe()
        let (source, target) = (ends[0], ends[1])
        defer { close(source) }
        _ = fcntl(target, F_SETFL, O_NONBLOCK)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let writer = Thread {
            #expect(Descriptor.write(bytes, to: target) == 0)
            close(target)
        }
        writer.start()
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = Glibc.read(source, &buffer, buffer.count), count > 0 { read += buffer[..<count] }
        #expect(read == bytes)
    }

    @Test(arguments: [
        ("", nil), ("a\u{e9}\u{20ac}\u{1f600}", nil),
    ] as [(String, Int?)])
    func `text has no fault`(_ text: String, _ fault: Int?) { #expect(UTF8Text.fault(in: Array(text.utf8)) == fault) }

    @Test(arguments: [
        ([0xff], 0), ([0x61, 0x80], 1), ([0xc3, 0xa9, 0xc3], 2), ([0x61, 0xed, 0xa0, 0x80], 1), ([0xc0, 0x80], 0), ([0x61, 0x62, 0xf4, 0x90, 0x80, 0x80], 2),
    ] as [([UInt8], Int)])
    func `the first byte that is no text is found`(_ bytes: [UInt8], _ offset: Int) { #expect(UTF8Text.fault(in: bytes) == offset) }
}
