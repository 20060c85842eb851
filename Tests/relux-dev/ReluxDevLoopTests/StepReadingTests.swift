@testable import ReluxDevLoop
import Testing

@Suite struct StepReadingTests {
    @Test func `a compiler's errors are told once, in their order, and the rest by its count`() {
        let log = """
            Building for debugging...
            \u{1b}[1m/w/A.swift:3:5: \u{1b}[31merror: \u{1b}[0mcannot find 'x' in scope
             2 | func a() {
               |     `- error: cannot find 'x' in scope
            /w/A.swift:3:5: error: cannot find 'x' in scope
            /w/B.swift:1:1: error: one
            /w/B.swift:2:1: error: two
            """
        #expect(
            StepReading.errors(.build, log, limit: 2) == [
                "/w/A.swift:3:5: error: cannot find 'x' in scope", "/w/B.swift:1:1: error: one", "… and 1 more",
            ])
    }

    @Test func `what looks like no error is told by its end`() {
        #expect(StepReading.errors(.build, "a\nb\n\nc\n", limit: 2) == ["b", "c"])
        #expect(StepReading.errors(.upgrade, "relux: refused\n       error: do this\n") == ["relux: refused", "       error: do this"])
        #expect(StepReading.errors(.build, "").isEmpty)
        let answer = #"{"code":"cluster.unreachable","message":"no cluster answers","hint":"start it"}"#
        #expect(StepReading.errors(.look, answer) == ["relux: no cluster answers", "       start it"])
        #expect(StepReading.errors(.look, "what?") == ["what?"])
    }

    @Test func `of tests the failed ones are told, of lint the findings`() {
        let tests = "✔ Test \"a\" passed\n✘ Test \"b\" recorded an issue at B.swift:1:2: no\n✘ Suite S failed\n✘ Test run with 2 tests failed\n"
        #expect(StepReading.errors(.test, tests) == ["✘ Test \"b\" recorded an issue at B.swift:1:2: no", "✘ Test run with 2 tests failed"])
        let lint = "A.swift:1:15: [state.global] a\n    why: [x]: [y]\n    fix: z\n1 finding; 2 files\n"
        #expect(StepReading.errors(.lint, lint) == ["A.swift:1:15: [state.global] a"])
    }

    @Test func `what was done is told in a line`() {
        #expect(StepReading.note(.test, "✔ Test run with 14 tests in 3 suites passed after 0.017 seconds.\n") == "14 tests in 3 suites passed")
        #expect(StepReading.note(.pack, "note: x\nWeather  1.0.0  packed  /p/Weather/1.0.0-1\nnote: y\n").hasPrefix("Weather  1.0.0"))
        #expect(StepReading.note(.upgrade, "Weather 1.0.0 → 1.1.0\nway back: x\n") == "Weather 1.0.0 → 1.1.0")
        #expect(StepReading.note(.load, "a\nWeather  ready\n") == "Weather  ready")
        #expect(StepReading.note(.build, "Build complete!") == "" && StepReading.note(.test, "") == "")
    }

    @Test func `coders that were written are named, and those that need nothing are silent`() {
        let log = "A.b: Codable codes it\nA+Wire.generated.swift: changed\nB+Wire.generated.swift: changed\n3 effects\n"
        #expect(StepReading.note(.generate, log) == "A+Wire.generated.swift: changed … and 1 more")
        #expect(StepReading.note(.generate, "3 effects and snapshots in 1 file, 0 written\n") == "")
        func lines(_ note: String, _ end: StepEnd) -> [String] {
            let step = StepReport(round: 1, step: .generate, end: end, duration: .seconds(1), note: note, errors: ["relux: no"], log: "/l")
            return DevText.lines(.step(step), module: "A")
        }
        #expect(lines("", .passed) == [])
        #expect(lines("a: changed", .passed) == ["  generate   1.0s  ok  a: changed"])
        #expect(lines("", .failed(status: 1)) == ["  generate   1.0s  failed", "      relux: no", "      all of it: /l"])
        let refusal = "note\nrelux: A.swift:1:2 does not parse\n       make it parse\n"
        #expect(StepReading.errors(.generate, refusal) == ["relux: A.swift:1:2 does not parse", "       make it parse"])
    }

    @Test(arguments: [
        (DevStep.build, Int32(0), "", StepEnd.passed), (.build, 70, "", .failed(status: 1)), (.test, 139, "", .failed(status: 1)),
        (.upgrade, 6, "", .failed(status: 6)), (.load, 143, "", .failed(status: 1)), (.pack, 0, "", .passed),
        (.look, 0, #"{"id":"A","state":"ready"}"#, .looked(isServed: true)),
        (.look, 0, #"{"id":"A","state":"refused"}"#, .looked(isServed: false)),
        (.look, 3, #"{"schema":"relux.error/1","code":"module.unknown"}"#, .looked(isServed: false)),
        (.look, 3, #"{"schema":"relux.error/1","code":"module.unloaded"}"#, .looked(isServed: false)),
        (.look, 3, #"{"schema":"relux.error/1","code":"cluster.notNamed"}"#, .failed(status: 3)),
        (.look, 4, #"{"schema":"relux.error/1","code":"cluster.unreachable"}"#, .failed(status: 4)), (.look, 0, "what?", .failed(status: 1)),
    ])
    func `a program's exit status means what the step is about`(step: DevStep, status: Int32, log: String, end: StepEnd) {
        #expect(StepReading.end(of: step, status: status, log) == end)
    }
}
