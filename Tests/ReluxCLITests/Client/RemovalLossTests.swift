import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

/// A module that is not ready is taken out, and effects wait for it: nobody loses them by a slip of the finger.
@Suite struct RemovalLossTests {
    private let books: SampleBooks
    private let file: String

    init() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        self.file = file
        books = try SampleBooks(in: scratch, run)
    }

    /// Auth has said ten effects to Notes, which has settled nine.
    private static let line = "PLAN  lost      1 effect that waits for Notes (1 Auth Auth.Business.Effect); it settles them when it is ready: relux module why-not Notes"

    private func run(_ words: [String], _ phase: ModuleState.Phase = .waiting) throws -> (status: ReluxCLI.ExitStatus, console: TestConsole, changes: [ClientRequest.Body]) {
        let broker = try FakeBroker(run: books.run.path) { request in
            switch request {
            case .status:
                var status = Demo.status
                status.modules = [Demo.module("Notes", "domain", ModuleState(phase), pid: 101)]
                return .status(status)
            case .compare: return .differences([MembershipDifference("Notes runs, and the file does not name it", step: .unload("Notes"))])
            case .evict(_, _, true): return .done(lines: ["evict     Notes"])
            default: return .done(lines: ["so it is"])
            }
        }
        let console = TestConsole()
        let status = console.run(words + ["--config", file])
        return (
            status, console,
            broker.requests.map(\.body).filter {
                switch $0 {
                case .unload, .evict(_, _, false): true
                default: false
                }
            }
        )
    }

    @Test(arguments: [["module", "unload", "Notes"], ["module", "evict", "Notes"], ["apply"]])
    func `it needs a yes, behind the number and whose they are`(_ words: [String]) throws {
        let unasked = try run(words)
        #expect(unasked.status == .usage && unasked.changes.isEmpty, "\(unasked.console.talk)")
        #expect(unasked.console.talk.contains(Self.line) && unasked.console.talk.contains("say --yes"), "\(unasked.console.talk)")
        let planned = try run(words + ["--dry-run"])
        #expect(planned.status == .ok && planned.changes.isEmpty && planned.console.out.contains(Self.line), "\(planned.console.out)")
        let done = try run(words + ["--yes"])
        #expect(done.status == .ok && done.changes.count == 1 && done.console.talk.contains(Self.line), "\(done.console.talk)")
    }

    @Test func `one that is ready handles what waits for it before it leaves`() throws {
        let unasked = try run(["module", "unload", "Notes"], .ready)
        #expect(unasked.status == .ok && unasked.changes.count == 1 && !unasked.console.talk.contains("lost"), "\(unasked.console.talk)")
    }

    @Test func `what cannot be read is not taken for nothing`() throws {
        for file in try FileManager.default.subpathsOfDirectory(atPath: books.run.journals) where file.hasPrefix("Auth") && file.contains(".") {
            try Data("no journal".utf8).write(to: URL(fileURLWithPath: "\(books.run.journals)/\(file)"))
        }
        let unasked = try run(["module", "unload", "Notes"])
        #expect(unasked.status == .usage && unasked.console.talk.contains("the journal of Auth cannot be read"), "\(unasked.console.talk)")
    }
}
