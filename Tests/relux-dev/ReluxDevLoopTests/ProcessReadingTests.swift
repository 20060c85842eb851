@testable import ReluxDevLoop
import Testing

/// Readings of real processes, but for the fields that do not matter.
@Suite struct ProcessReadingTests {
    private static let tag = "RELUX_DEV_STEP=1"
    /// Field 9, as the kernel has it: executed since the fork, ending, its own.
    private static let (running, ending, ofKernel): (UInt, UInt, UInt) = (0x40_0000, 0x40_000c, 0x20_8040)

    private static func status(
        _ flags: UInt, threads: Int = 1, codeEnd: UInt = 0, environment: (UInt, UInt) = (0, 0), name: String = "sleep"
    ) -> ProcessReading {
        var fields = [String](repeating: "0", count: 53)
        for (number, value) in [1: "42", 2: "(\(name))", 3: "R", 9: "\(flags)", 20: "\(threads)", 27: "\(codeEnd)"] { fields[number] = value }
        (fields[50], fields[51]) = ("\(environment.0)", "\(environment.1)")
        return ProcessReading(environment: [], status: .text(fields.dropFirst().joined(separator: " ") + "\n"))
    }

    private func verdict(_ reading: ProcessReading) -> ProcessReading.Verdict { reading.verdict(Array(Self.tag.utf8)) }

    @Test(arguments: [
        ("A=1\0\(tag)\0", ProcessReading.Verdict.tagged), ("\(tag)\0A=1\0", .tagged), ("A=1\0", .untagged), ("\(tag)2\0", .untagged),
        ("X\(tag)\0", .untagged),
    ])
    func `an environment that is there decides`(text: String, expected: ProcessReading.Verdict) {
        #expect(verdict(ProcessReading(environment: Array(text.utf8), status: .unread)) == expected)
    }

    @Test(arguments: [
        // New memory; then the arguments are in it; then the environment begins, and has no end yet.
        status(running), status(running, environment: (0x7ffe_9415_b297, 0)), status(running, environment: (0x7ffe_9415_b297, 0x7ffe_9415_b297)),
        // It was so when the environment was read, and has gone on since.
        status(running, codeEnd: 0x5591_0001, environment: (0x7ffe_9415_b297, 0x7ffe_9415_bfff)),
    ])
    func `who executes a program is in doubt, whatever is there already`(reading: ProcessReading) { #expect(verdict(reading) == .doubtful) }

    @Test func `who really has no environment is not ours, nor who does not let us know, nor the kernel's`() {
        #expect(verdict(Self.status(Self.running, codeEnd: 0x5591_0001, environment: (0x7ffe_9415_b297, 0x7ffe_9415_b297))) == .untagged)
        #expect(verdict(Self.status(Self.running, codeEnd: 1)) == .untagged)
        #expect(verdict(Self.status(Self.ofKernel)) == .untagged)
    }

    @Test func `who has ended has done so with its last thread; until then another one may be about to take its place`() {
        #expect(verdict(Self.status(Self.ending)) == .ended)
        #expect(verdict(Self.status(Self.ending, threads: 2)) == .doubtful)
        #expect(verdict(Self.status(Self.ending, threads: 0)) == .doubtful, "it was replaced, or reaped, while it was read")
        #expect(verdict(ProcessReading(environment: [], status: .gone)) == .ended)
    }

    @Test func `what could not be read, or is of another form, is in doubt`() {
        #expect(verdict(ProcessReading(environment: [], status: .unread)) == .doubtful)
        for text in ["", "42", "42 (sleep)", "42 (sleep) R 1 2 3\n"] {
            #expect(verdict(ProcessReading(environment: [], status: .text(text))) == .doubtful, "\(text)")
        }
    }

    @Test func `a name that looks like fields is none`() {
        #expect(verdict(Self.status(Self.running, name: "a) Z 1 1 1 1 1 4 (b")) == .doubtful)
        #expect(verdict(Self.status(Self.ending, name: ") R 0 (")) == .ended)
    }
}
