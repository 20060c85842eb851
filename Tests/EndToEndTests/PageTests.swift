import Foundation
import PageKit
import Testing

@Suite struct PageTests {
    @Test func `a page's blocks are its steps, and the others are for reading`() throws {
        let page = try Page(
            """
            # Page
            All of it is executed by a test (`Tests/A.swift`).
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
            ```tap A.b A.c
            $ relux tap
            ```
            """)
        #expect(page.executor == "Tests/A.swift" && !page.isInCheckout)
        #expect(
            page.steps == [
                .run(.init(text: "one", prints: ["printed", ""], line: 7)), .run(.init(text: "two", prints: [], line: 10)),
                .write(file: "A/A.swift", text: "// A/A.swift\nlet a = 1\n"),
                .change(file: "A/A.swift", [.init(before: "let a = 1\n\n", after: "let a = 2\n\n"), .init(before: "b\n", after: "b\nc\n")]),
                .tap(.init(text: "relux tap", prints: [], line: 26), warmUp: ["A.b", "A.c"]),
            ])
    }

    @Test(arguments: ["```console\nno command\n```", "```swift\nlet a = 1\n```", "```diff\n+a\n```", "```diff\n--- a\n*b\n```", "```console\n$ a"])
    func `a block that cannot be executed is refused`(page: String) {
        #expect(throws: PageError.self) { try Page("executed by a test (`Tests/A.swift`)\n" + page) }
    }

    @Test func `in the checkout no file is changed, and Swift is for reading`() throws {
        let said = "executed in the checkout by a test (`Tests/A.swift`)\n"
        let page = try Page(said + "```swift\nlet a = 1\n```\n```console\n$ a\n```")
        #expect(page.isInCheckout && page.steps == [.run(.init(text: "a", prints: [], line: 6))])
        #expect(throws: PageError.self) { try Page(said + "```diff\n--- a\n+b\n```") }
    }

    @Test func `a page that nobody executes has no steps`() throws {
        let page = try Page("```console\n$ a\n```\n```swift\nlet a = 1\n```")
        #expect(page.executor == nil && page.steps.isEmpty)
    }

    @Test func `a test finds the pages that name it, those in the checkout first`() throws {
        let root = try temporaryDirectory("rxe")
        defer { try? FileManager.default.removeItem(atPath: root) }
        let pages = [
            "README.md": "executed by a test (`Tests/A.swift`)", "Plugins/P/README.md": "executed by a test (`Tests/B.swift`)",
            "Sources/S/S.docc/S.md": "nothing", "Sources/relux-dev/Sources/T/T.docc/T.md": "executed in the checkout by a test (`Tests/A.swift`)",
        ]
        for (path, text) in pages {
            let file = URL(fileURLWithPath: "\(root)/\(path)")
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try Pages.executed(by: root + "/Tests/A.swift", in: root).map(\.path) == ["Sources/relux-dev/Sources/T/T.docc/T.md", "README.md"])
        #expect(try Pages.executed(by: root + "/Tests/B.swift", in: root).map(\.path) == ["Plugins/P/README.md"])
        #expect(try Pages.executed(by: root + "/Tests/C.swift", in: root).isEmpty)
    }

    private let transcript = Transcript(places: [("~/work", "/tmp/rxe-1/work"), ("~/cluster", "/tmp/rxe-1")])

    @Test func `what differs each time is not compared`() {
        let printed = [
            "14:02:11.120  Weather#1099511627777  a", "/tmp/rxe-1/packed/Weather/1.0.0-5d0c9b6e", "/tmp/rxe-1/work/Weather: 26 files",
            "  build     12.3s  ok", "ready  212ms  pid 4711  epoch 3", "in 75 ms", "passed after 0.017 seconds.", "tapping 13 hosts",
            "userId: \"24cd2e7594c64ee44116bafcffc65f77\"", "A.swift:52  <- B",
        ]
        let said = [
            "07:18:00.832  Weather#2  a", "~/cluster/packed/Weather/1.0.0-0badcafe", "~/work/Weather: 26 files", "  build      9.0s  ok",
            "ready  3ms  pid 1  epoch 12", "in 8 ms", "passed after 1.500 seconds.", "tapping 4 hosts",
            "userId: \"00cd2e7594c64ee44116bafcffc65f00\"", "A.swift:7  <- B",
        ]
        #expect(transcript.difference(said: said, printed: printed) == nil)
        for index in said.indices {
            var wrong = printed
            wrong[index] += "x"
            #expect(transcript.difference(said: said, printed: wrong) != nil, "\(printed[index])")
        }
    }

    @Test func `other numbers, versions and words are`() {
        for (said, printed) in [("26 files", "27 files"), ("Weather 1.0.0", "Weather 1.1.0"), ("15 tests", "14 tests"), ("A.swift:1:2: error", "A.swift:2:2: error"), ("a", "b")] {
            #expect(transcript.difference(said: [said], printed: [printed])?.contains("    \(said)\nprinted was:\n    \(printed)\n") == true)
        }
        #expect(transcript.difference(said: ["a"], printed: []) != nil && transcript.difference(said: [], printed: ["a"]) != nil)
    }

    @Test func `recipients settle an effect in any order, each as the page says`() {
        let said = ["Cluster#1  A.b  failed", "  Auth  succeeded  1", "  Notes  failed  x", ""]
        #expect(transcript.difference(said: said, printed: [said[0], said[2], said[1], ""]) == nil)
        #expect(transcript.difference(said: said, printed: [said[0], said[2], said[2], ""]) != nil)
        #expect(transcript.difference(said: said, printed: [said[1], said[0], said[2], ""]) != nil)
    }

    @Test func `three dots stand for any lines, or for anything in one`() {
        #expect(transcript.difference(said: ["a", "…", "z"], printed: ["a", "b", "c", "z"]) == nil)
        #expect(transcript.difference(said: ["a", "…"], printed: ["a"]) == nil)
        #expect(transcript.difference(said: ["a", "…", "z"], printed: ["a", "b"]) != nil)
        #expect(Transcript.isLike("…", "") && Transcript.isLike("a … c …", "a b c d") && Transcript.isLike("a…a", "aa"))
        #expect(!Transcript.isLike("a…a", "a") && !Transcript.isLike("a … c", "a b d") && !Transcript.isLike("a", "ab"))
    }
}
