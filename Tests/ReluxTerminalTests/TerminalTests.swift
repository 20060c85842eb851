import Observation
import ReluxTestKit
import Testing

@testable import ReluxTerminal

@MainActor
@Suite struct TerminalTests {
    @Observable
    final class Model {
        var text = "first"
    }

    /// A terminal in a pipe: what it writes, and a keyboard.
    private final class Desk: Sendable {
        let written = Watched("")
        let keyboard = Watched<(@Sendable (String?) -> Void)?>(nil)

        @MainActor
        var terminal: Terminal {
            Terminal(
                isScreen: false, read: { [keyboard] type in keyboard.update { $0 = type } },
                put: { [written] bytes in
                    written.update { $0 += String(decoding: bytes, as: UTF8.self) }
                    return bytes.count
                })
        }

        func type(_ line: String?) { keyboard.value?(line) }
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
        await session.value
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
        await session.value
        #expect(entered.elements == ["a", "b"])
    }

    @Test func `no control character of somebody else reaches the terminal`() {
        #expect(Terminal.printable("a\u{1b}[2Jb\tc") == "a\u{FFFD}[2Jb\u{FFFD}c")
    }
}
