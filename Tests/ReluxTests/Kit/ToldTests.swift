import Relux
import ReluxTestKit
import Testing

/// How often a case was dispatched, by the name that a log shows.
@Suite struct ToldTests {
    enum Note: Relux.Effect {
        case saved(id: Int)
        case savedAll
        case closed
    }

    @Test func `a case is counted with and without a payload, apart from others that begin alike, and not when it is refused`() async {
        let recorder = RecordingLogger()
        let relux = Relux(logger: recorder)
        await relux.dispatcher.actions {
            Note.saved(id: 1)
            Note.savedAll
            Note.saved(id: 2)
        }
        await relux.register { MockModule("M", emits: []) }
        #expect(await relux.dispatcher(for: "M").actions { Note.closed }.isRefused)
        let names = recorder.entries.map(\.description)
        #expect(recorder.told("ToldTests.Note.saved") == 2, "\(names)")
        #expect(recorder.told("ToldTests.Note.savedAll") == 1, "\(names)")
        #expect(recorder.told("ToldTests.Note.closed") == 0, "\(names)")
        #expect(recorder.told("ToldTests.Note") == 0, "\(names)")
    }
}
