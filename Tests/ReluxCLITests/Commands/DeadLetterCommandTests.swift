import ArgumentParser
import Foundation
import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

@Suite struct DeadLetterCommandTests {
    private static func status(_ notes: ModuleState) -> ClientResponse.Body {
        .status(
            ClusterStatus(
                brokerPid: 1, supervisorPid: 2, phase: .open, picture: ClusterPicture(version: 1, members: [], hosts: []),
                modules: [
                    Demo.module("Auth", "domain", ModuleState(.ready), pid: 1), Demo.module("Notes", "domain", notes, pid: 2),
                ], notes: []))
    }

    private static func answer(_ body: ClientRequest.Body) -> ClientResponse.Body? {
        switch body {
        case .status: status(ModuleState(.ready))
        case .emit:
            .emitted(
                EmitAnswer(
                    effect: EffectID(module: "Cluster", position: 7), unhandled: false, succeeded: true,
                    outcomes: [.init(recipient: "Notes", status: .succeeded, message: "", value: ByteString([]))]))
        case .resolve: .done(lines: ["marked"])
        default: nil
        }
    }

    @Test func `a letter that is not there is named as it was typed, with the module that is nearest`() throws {
        let books = try SampleBooks()
        let near = books.output(["dlq", "show", "Auht#1.2"])
        #expect(near.status == .notFound && near.talk.contains("there is no dead letter of Auht#1.2") && near.talk.contains("did you mean 'Auth'?"), "\(near)")
        let other = books.output(["dlq", "show", "Auth#0.77"])
        #expect(other.talk.contains("there is no dead letter of Auth#0.77, which is Auth#77") && !other.talk.contains("did you mean"), "\(other)")
        #expect(books.output(["dlq", "show", "Auth#77"]).talk.contains("there is no dead letter of Auth#77\n"))
    }

    @Test func `ls lists what is open, and all of it if asked`() throws {
        let books = try SampleBooks()
        let (status, out, _) = books.output(["dlq", "ls"])
        #expect(status == .ok)
        try expectGolden(out, "DeadLetterCommandTests/ls")
        try expectGolden(books.output(["dlq", "ls", "--json"]).out, "DeadLetterCommandTests/ls-json")
        #expect(books.output(["dlq", "ls", "-o", "name"]).out == "Auth#8\nAuth#9")
        let record = try #require(try session(books).letters().found.first).record
        try books.mark(record, as: .retried, epoch: 2)
        #expect(books.output(["dlq", "ls", "-o", "name"]).out == "Auth#9")
        #expect(books.output(["dlq", "ls", "-o", "name", "--all"]).out == "Auth#8\nAuth#9")
        #expect(books.output(["dlq", "ls", "--all"]).out.contains("retried"))
        #expect(books.output(["dlq", "ls", "--module", "Auth"]).talk == "there are no dead letters")
        #expect(books.output(["dlq", "ls", "--module", "Ntes"]).status == .notFound)
        // The audit counts it whatever was done about it.
        #expect(books.output(["audit"]).status == .ok)
    }

    private func session(_ books: SampleBooks) throws -> CommandSession {
        CommandSession(
            console: Console(out: { _ in }, talk: { _ in }), options: try CommonOptions.parse(["--run", books.scratch.path, "--color", "never"]))
    }

    @Test func `show has the cause, the payload without secrets, and the crash`() throws {
        let books = try SampleBooks()
        try expectGolden(books.output(["dlq", "show", "Auth#9"]).out, "DeadLetterCommandTests/show-undecodable")
        try books.crash(of: "Auth#8")
        let (status, out, _) = books.output(["dlq", "show", "Auth#8"])
        #expect(status == .ok)
        try expectGolden(out, "DeadLetterCommandTests/show")
        try expectGolden(books.output(["dlq", "show", "Auth#8", "--json"]).out, "DeadLetterCommandTests/show-json")
        #expect(books.output(["dlq", "show", "Auth#7"]).status == .notFound)
        #expect(books.output(["dlq", "show", "Auth"]).status == .usage)
        #expect(books.output(["dlq", "show", "Auth#8", "--module", "Auth"]).status == .notFound)
    }

    @Test func `retry emits the same payload under a label that names the old id, and marks the letter`() throws {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path, answer: Self.answer)
        let (status, out, _) = books.output(["dlq", "retry", "Auth#8"])
        #expect(status == .ok)
        #expect(out == "Cluster#7  Auth.Business.Effect.login  succeeded\n  Notes  succeeded")
        let requests = broker.requests.map(\.body)
        guard requests.count == 3, case .emit(let topic, let payload, _, let label, let contract, _) = requests[1],
            case .resolve(let module, let effect, let resolution) = requests[2]
        else { throw CLIError(.failed, "test", "\(requests)") }
        #expect(topic == SampleBooks.topic && label == "retry of Auth#8" && contract == 0xAB)
        let record = try #require(try session(books).letters().found.first).record
        #expect(payload == ByteString(Array(record.payload)))
        #expect(module == "Notes" && effect == record.effect && resolution == .retried)
    }

    @Test func `a letter of a build that did not keep the contract is said again without one`() throws {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path, answer: Self.answer)
        #expect(books.output(["dlq", "retry", "Auth#9"]).status == .ok)
        guard case .emit(_, _, _, _, contract: nil, _)? = broker.requests.map(\.body).dropFirst().first else {
            throw CLIError(.failed, "test", "\(broker.requests)")
        }
    }

    @Test func `drop wants a yes, and marks the letter`() throws {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path, answer: Self.answer)
        #expect(books.output(["dlq", "drop", "Auth#8"]).status == .usage)
        let plan = books.output(["dlq", "drop", "Auth#8", "--dry-run"])
        #expect(plan.out == "PLAN  drop      Auth#8  Auth.Business.Effect.login, given up by Notes")
        let (status, out, _) = books.output(["dlq", "drop", "Auth#8", "--yes"])
        #expect(status == .ok && out == "Auth#8 is dropped")
        guard case .resolve("Notes", _, .dropped)? = broker.requests.last?.body else {
            throw CLIError(.failed, "test", "\(broker.requests)")
        }
    }

    @Test(arguments: [["retry", "Auth#8"], ["drop", "Auth#8", "--yes"]])
    func `a module that is about to have a process is waited for, within the time, with a line that says so`(arguments: [String]) throws {
        let books = try SampleBooks()
        let asked = Mutex(0)
        let broker = try FakeBroker(run: books.scratch.path) { request in
            guard case .status = request else { return Self.answer(request) }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return Self.status(count > 5 ? ModuleState(.ready) : ModuleState(.backoff, why: "signal 9 (SIGKILL)"))
        }
        let (status, _, talk) = books.output(["dlq"] + arguments)
        #expect(status == .ok, "\(talk)")
        #expect(talk.components(separatedBy: "waiting for Notes to run").count == 2, "\(talk)")

        asked.withLock { $0 = -1000 }
        let late = books.output(["dlq"] + arguments + ["--timeout", "300ms"])
        #expect(late.status == .refused)
        #expect(late.talk.contains("(backoff, signal 9 (SIGKILL)); nothing was done") && late.talk.contains("--timeout waits longer"), "\(late.talk)")
        withExtendedLifetime(broker) {}
    }

    /// The talk of a retry that no module answers, while Notes is in that state.
    private static func unanswered(_ state: ModuleState) throws -> (status: ReluxCLI.ExitStatus, talk: String) {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path) { request in
            guard case .status = request, case .status(var status) = Self.status(state) else { return nil }
            for place in status.modules.indices { status.modules[place].handles = [SampleBooks.topic] }
            return .status(status)
        }
        let (status, _, talk) = books.output(["dlq", "retry", "Auth#8", "--timeout", "1500ms"])
        withExtendedLifetime(broker) {}
        return (status, talk)
    }

    @Test func `a recipient that is not ready is named when its answer takes long`() throws {
        let (status, talk) = try Self.unanswered(ModuleState(.recovering, why: "reads its journal"))
        #expect(status == .timeout)
        #expect(talk.contains("waiting for Notes to answer: Notes is recovering: reads its journal\n"), "\(talk)")
    }

    @Test func `a recipient whose import has left answers all the same, and is not said to be what is waited for`() throws {
        let talk = try Self.unanswered(ModuleState(.waiting, why: "imports SyncReluxInt")).talk
        #expect(talk.contains("waiting for Auth or Notes to answer to \(SampleBooks.topic)\n") && !talk.contains("SyncReluxInt"), "\(talk)")
    }

    @Test func `nothing is done when the module has no process, or when it was done before`() throws {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path) { _ in Self.status(ModuleState(.quarantined, why: "died 5 times")) }
        for arguments in [["retry", "Auth#8"], ["drop", "Auth#8", "--yes"]] {
            let (status, _, talk) = books.output(["dlq"] + arguments)
            #expect(status == .refused)
            #expect(talk.contains("Notes has no process that could note it in its journal (quarantined, died 5 times)"))
            #expect(talk.contains("relux module restart Notes"))
        }
        #expect(broker.requests.allSatisfy { if case .status = $0.body { true } else { false } })
        let record = try #require(try session(books).letters().found.first).record
        try books.mark(record, as: .dropped, epoch: 2)
        let (status, _, talk) = books.output(["dlq", "retry", "Auth#8"])
        #expect(status == .refused && talk.contains("the dead letter of Auth#8 was dropped before"))
    }

    @Test func `a letter that could not be marked after its retry is said so`() throws {
        let books = try SampleBooks()
        let broker = try FakeBroker(run: books.scratch.path) { body in
            if case .resolve = body { return .refused(code: "no-process", message: "Notes has no process") }
            return Self.answer(body)
        }
        let (status, _, talk) = books.output(["dlq", "retry", "Auth#8"])
        #expect(status == .refused)
        #expect(talk.contains("may not be marked as retried: Notes has no process") && talk.contains("emitted again"))
        #expect(broker.requests.count == 3)
    }
}
