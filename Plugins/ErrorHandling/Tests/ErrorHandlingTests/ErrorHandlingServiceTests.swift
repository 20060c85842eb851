import ErrorHandlingModels
@testable import ErrorHandlingServiceImpl
import Foundation
import ReluxTestKit
import Testing

@Suite struct ErrorHandlingServiceTests {
    typealias Failure = ErrorHandling.Business.Model.Failure
    typealias TrackedError = ErrorHandling.Business.Model.TrackedError
    let directory = TemporaryDirectory()

    func service(fileLimit: Int = 1 << 20) -> ErrorHandling.Business.Service {
        ErrorHandling.Business.Service(
            filePath: directory.file("errors.jsonl"), fileLimit: fileLimit, secondsSince1970: { 42 }
        )
    }

    func error(_ code: Int) -> TrackedError {
        TrackedError(domain: "Notes", code: code, message: "line one\nline two")
    }

    @Test func `errors are kept in order for the next process`() async throws {
        let first = service()
        for code in 1...5 { _ = try await first.track(error(code)) }
        let recent = try await service().recent(limit: 3)
        #expect(recent.map(\.error) == [error(3), error(4), error(5)])
        #expect(recent.allSatisfy { $0.trackedAt == 42 })
        #expect(try await service().recent(limit: -1).isEmpty)
    }

    @Test func `the files stay within their limit`() async throws {
        let service = service(fileLimit: 1_000)
        for code in 1...100 { _ = try await service.track(error(code)) }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(files == ["errors.jsonl", "errors.jsonl.1"])
        for file in files {
            #expect(try Data(contentsOf: URL(fileURLWithPath: directory.file(file))).count <= 1_000)
        }
        #expect(try await service.recent(limit: 4).map(\.error.code) == [97, 98, 99, 100])
    }

    @Test func `a line that a crash cut short is passed over`() async throws {
        let service = service()
        _ = try await service.track(error(1))
        let file = try #require(FileHandle(forUpdatingAtPath: directory.file("errors.jsonl")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"error":{"dom"#.utf8))
        try file.close()
        _ = try await service.track(error(2))
        #expect(try await service.recent(limit: 10).map(\.error.code) == [1, 2])
    }

    @Test(arguments: ["errors.jsonl", "errors.jsonl.1"], ["a folder", "a pipe"])
    func `errors that cannot be read are not none, in words`(name: String, kind: String) async throws {
        let path = directory.file(name)
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        if kind == "a pipe" { #expect(mkfifo(path, 0o600) == 0) } else { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
        let failure = await #expect(throws: Failure.self) { try await service().recent(limit: 1) }
        #expect(failure?.code == .storage && failure?.message.contains("it is no regular file") == true, "\(failure?.message ?? "")")
    }

    @Test func `a long message is cut`() {
        #expect(TrackedError(domain: "d", code: 1, message: String(repeating: "x", count: 5_000)).message.count == 1_000)
    }

    @Test func `a path that cannot be written is an answer that names it`() async {
        let service = ErrorHandling.Business.Service(filePath: "/dev/null/errors.jsonl")
        let failure = await #expect(throws: Failure.self) { try await service.track(error(1)) }
        #expect(failure?.message.contains("/dev/null/errors.jsonl") == true)
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 99)])
    func `a text is kept to the byte`(text: String) async throws {
        _ = try await service().track(TrackedError(domain: text, code: 1, message: text))
        let kept = try await service().recent(limit: 1).first?.error
        #expect(kept.map { Array($0.domain.utf8) } == Array(text.utf8) && kept.map { Array($0.message.utf8) } == Array(text.utf8))
    }
}
