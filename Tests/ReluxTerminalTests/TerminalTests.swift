import Glibc
import Observation
import ReluxTestKit
import Testing

@testable import ReluxTerminal

@MainActor
@Suite struct TerminalTests {
    @Observable
    final class Model {
        var text = "first"
        var more = "more"
    }

    /// A terminal in a pipe: what it writes, and a keyboard.
    private final class Desk: Sendable {
        let written = Watched("")
        struct Keyboard: Sendable {
            var type: (@Sendable (String?) -> Void)?
        }
        let keyboard = Watched(Keyboard())
        /// The error that each write fails with; nil while none does.
        let failure = Watched<Int32?>(nil)
        let complaints = Recorder<String>()

        @MainActor
        var terminal: Terminal {
            Terminal(
                isScreen: false, read: { [keyboard] type in keyboard.update { $0.type = type } },
                put: { [written, failure] bytes in
                    if let number = failure.value {
                        errno = number
                        return -1
                    }
                    written.update { $0 += String(decoding: bytes, as: UTF8.self) }
                    return bytes.count
                },
                complain: { [complaints] in complaints.record($0) })
        }

        func type(_ line: String?) { keyboard.value.type?(line) }
        func shows(_ text: String) async throws { try await written.wait(for: text) { $0.hasSuffix(text + "--\n") } }
    }

    private let desk = Desk()
    private let model = Model()

    @Test func `while a line takes its time frames are shown, and the end can be typed`() async throws {
        let gate = Gate()
        let entered = Recorder<String>()
        let session = Task {
            await desk.terminal.run(frame: { [model.text] }) { line in
                entered.record(line)
                await gate.pass()
            }
        }
        try await desk.shows("first\n")
        desk.type("slow")
        try await gate.waitForArrivals(1)
        model.text = "second"
        try await desk.shows("second\n")
        desk.type("next")
        try await desk.shows("second\n\n1 more behind 'slow'\n")
        desk.type("quit")
        try await desk.shows("second\n\nwaits for 'slow'; 'quit' again leaves at once\n")
        desk.type("quit")
        _ = await session.value
        #expect(entered.elements == ["slow"])
        gate.open()
    }

    @Test func `what a script types is done before the session ends`() async throws {
        let entered = Recorder<String>()
        let session = Task {
            await desk.terminal.run(frame: { ["x"] }) { line in
                await Task.yield()
                entered.record(line)
            }
        }
        try await desk.shows("x\n")
        for line in ["a", "b", nil] { desk.type(line) }
        _ = await session.value
        #expect(entered.elements == ["a", "b"])
    }

    @Test func `after many lines a change makes one frame, and what came into sight with a line is watched`() async throws {
        let frames = Watched(0)
        // Nobody observes where the person is.
        let line = Watched("")
        let session = Task {
            await desk.terminal.run(frame: { [model] in
                frames.update { $0 += 1 }
                return [model.text, line.value.isEmpty ? "" : model.more]
            }) { typed in line.update { $0 = typed } }
        }
        try await desk.shows("first\n\n")
        // Each line is two events, itself and its end; a frame is looked at for each.
        let lines = 50
        for n in 1...lines {
            desk.type("line \(n)")
            try await frames.wait(for: "the frames of line \(n)") { $0 >= 1 + 2 * n }
        }
        #expect(frames.value == 1 + 2 * lines)
        model.more = "much more"
        try await desk.shows("first\nmuch more\n")
        model.text = "second"
        try await desk.shows("second\nmuch more\n")
        desk.type("quit")
        _ = await session.value
        #expect(frames.value == 1 + 2 * lines + 2, "one for each change")
    }

    @Test(arguments: [(ENOSPC, Int32(74), 1), (EPIPE, 141, 0)])
    func `a frame that cannot be written ends the session, with a reason unless its reader has gone`(
        _ number: Int32, _ status: Int32, _ reasons: Int
    ) async throws {
        let session = Task { await desk.terminal.run(frame: { [model] in [model.text] }, enter: { _ in }) }
        try await desk.shows("first\n")
        desk.failure.update { $0 = number }
        model.text = "second"
        #expect(await session.value == status)
        #expect(desk.complaints.elements.count == reasons && desk.complaints.elements.allSatisfy { $0.contains("No space left") })
    }

    @Test func `no control character of somebody else reaches the terminal`() {
        #expect(Terminal.printable("a\u{1b}[2Jb\tc") == "a\u{FFFD}[2Jb\u{FFFD}c")
        #expect(Terminal.printable("a\u{202e}b\u{2028}c\u{2066}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
        #expect(Terminal.printable("\u{645}\u{6cc}\u{200c}\u{62e}") == "\u{645}\u{6cc}\u{200c}\u{62e}")
    }
}
