import Testing

@Suite struct TutorialPageTests {
    @Test func `a page's blocks are its steps, and the others are for reading`() throws {
        let page = try TutorialPage(
            """
            # Page
            ```sh
            rm -rf /
            ```
            ```console
            $ one
            printed

            $ two
            ```
            ```swift
            // A/A.swift
            let a = 1
            ```
            ```diff
            --- A/A.swift
            -let a = 1
            +let a = 2

            @@
             b
            +c
            ```
            ```tap
            $ relux tap
            ```
            """)
        #expect(
            page.steps == [
                .run(.init(text: "one", prints: ["printed", ""], line: 6)), .run(.init(text: "two", prints: [], line: 9)),
                .write(file: "A/A.swift", text: "// A/A.swift\nlet a = 1\n"),
                .change(file: "A/A.swift", [.init(before: "let a = 1\n\n", after: "let a = 2\n\n"), .init(before: "b\n", after: "b\nc\n")]),
                .tap(.init(text: "relux tap", prints: [], line: 25)),
            ])
    }

    @Test(arguments: ["```console\nno command\n```", "```swift\nlet a = 1\n```", "```diff\n+a\n```", "```diff\n--- a\n*b\n```", "```console\n$ a"])
    func `a block that cannot be executed is refused`(page: String) {
        #expect(throws: HarnessError.self) { try TutorialPage(page) }
    }

    private let transcript = Transcript(places: [("~/work", "/tmp/rxe-1/work"), ("~/cluster", "/tmp/rxe-1")])

    @Test func `what differs each time is not compared`() {
        let printed = [
            "14:02:11.120  Weather#1099511627777  a", "/tmp/rxe-1/packed/Weather/1.0.0-5d0c9b6e", "/tmp/rxe-1/work/Weather: 26 files",
            "  build     12.3s  ok", "ready  212ms  pid 4711  epoch 3", "in 75 ms", "passed after 0.017 seconds.", "tapping 13 hosts",
        ]
        let said = [
            "07:18:00.832  Weather#2  a", "~/cluster/packed/Weather/1.0.0-0badcafe", "~/work/Weather: 26 files", "  build      9.0s  ok",
            "ready  3ms  pid 1  epoch 12", "in 8 ms", "passed after 1.500 seconds.", "tapping 4 hosts",
        ]
        #expect(transcript.difference(said: said, printed: printed) == nil)
        for index in said.indices {
            var wrong = printed
            wrong[index] += "x"
            #expect(transcript.difference(said: said, printed: wrong) != nil, "\(printed[index])")
        }
    }

    @Test func `other numbers, versions and words are`() {
        for (said, printed) in [("26 files", "27 files"), ("Weather 1.0.0", "Weather 1.1.0"), ("15 tests", "14 tests"), ("a", "b")] {
            #expect(transcript.difference(said: [said], printed: [printed])?.contains("    \(said)\nprinted was:\n    \(printed)\n") == true)
        }
        #expect(transcript.difference(said: ["a"], printed: []) != nil && transcript.difference(said: [], printed: ["a"]) != nil)
    }

    @Test func `three dots stand for any lines, or for anything in one`() {
        #expect(transcript.difference(said: ["a", "…", "z"], printed: ["a", "b", "c", "z"]) == nil)
        #expect(transcript.difference(said: ["a", "…"], printed: ["a"]) == nil)
        #expect(transcript.difference(said: ["a", "…", "z"], printed: ["a", "b"]) != nil)
        #expect(Transcript.isLike("…", "") && Transcript.isLike("a … c …", "a b c d") && Transcript.isLike("a…a", "aa"))
        #expect(!Transcript.isLike("a…a", "a") && !Transcript.isLike("a … c", "a b d") && !Transcript.isLike("a", "ab"))
    }
}
