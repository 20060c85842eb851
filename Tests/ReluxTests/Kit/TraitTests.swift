import Relux
import ReluxTestKit
import ReluxTestTraits
import Testing

/// The trait around tests of a suite, with nodes made in its properties.
@Suite(.noRefusals, .timeLimit(.minutes(1))) struct TraitTests {
    let recorder = RecordingLogger()
    let relux: Relux

    init() async {
        relux = Relux(logger: recorder)
        await relux.register { MockModule("M", emits: []) }
    }

    @Test func `a refusal that is expected fails nothing`() async {
        recorder.expectRefusals(of: "undeclared")
        #expect(await relux.dispatcher(for: "M").actions { Work.a }.isRefused)
    }

    @Test func `the trait knows the recorders of its test`() async throws {
        let test = try #require(Test.current)
        await #expect(throws: UnexpectedRefusals.self) {
            try await NoRefusals().provideScope(for: test, testCase: nil) {
                let inner = Relux(logger: RecordingLogger())
                await inner.register { MockModule("M", emits: []) }
                await inner.dispatcher(for: "M").actions { Work.a }
            }
        }
    }
}
