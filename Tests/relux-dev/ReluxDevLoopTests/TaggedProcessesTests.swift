import Foundation
import Glibc
@testable import ReluxDevLoop
import Testing

@Suite struct TaggedProcessesTests {
    /// Each process has what it says when it is looked at, and goes on saying the last of it; each listing has its processes.
    private func search(
        _ listings: [[pid_t]?], _ says: [pid_t: [ProcessReading.Verdict]]
    ) -> (found: [pid_t], looks: [pid_t: Int], lists: Int, rests: Int) {
        var (looks, lists, rests): ([pid_t: Int], Int, Int) = ([:], 0, 0)
        let found = TaggedProcesses.search(
            list: {
                lists += 1
                return listings[min(lists, listings.count) - 1]
            },
            look: { pid in
                looks[pid, default: 0] += 1
                let all = says[pid] ?? [.untagged]
                return all[min(looks[pid, default: 0], all.count) - 1]
            },
            rest: { rests += 1 })
        return (found, looks, lists, rests)
    }

    @Test func `who is in doubt is looked at until it says, and nobody else again`() {
        let result = search([[1, 2, 3]], [2: [.doubtful, .doubtful, .tagged], 3: [.tagged]])
        #expect(result.found == [3, 2] && result.looks == [1: 1, 2: 3, 3: 1] && result.rests == 2)
    }

    @Test func `the child of one that ended before it was looked at is found, and its child`() {
        let result = search([[1, 2], [1, 3], [1, 4]], [2: [.ended], 3: [.ended], 4: [.tagged]])
        #expect(result.found == [4] && result.lists == 3 && result.rests == 0)
    }

    @Test func `when everybody has said, once is enough`() {
        let result = search([[1, 2], [1, 2, 3]], [2: [.tagged]])
        #expect(result.found == [2] && result.lists == 1)
    }

    @Test func `a listing that fails is made again`() {
        #expect(search([nil, nil, [1]], [1: [.tagged]]).found == [1])
    }

    @Test func `who never says is left at last, and hides nobody`() {
        let result = search([[1, 2], [1, 3]], [1: [.doubtful], 2: [.tagged], 3: [.tagged]])
        #expect(result.found == [2, 3] && result.looks[1] == TaggedProcesses.patience + 1)
        #expect(search([nil], [:]).lists == TaggedProcesses.patience + 1)
    }

    /// With one look at each it is missed every tenth time or so: the kernel goes through all words before it says where the environment is.
    @Test(.timeLimit(.minutes(5)))
    func `a process that does nothing but execute itself is found every time`() async throws {
        let sandbox = try Sandbox()
        let pipe = try NamedPipe(sandbox.path + "/pipe")
        let script = try sandbox.write("again", "#!/bin/sh\n[ $1 = again ] || echo begun >\(pipe.path)\nshift\nexec \"$0\" again \"$@\"\n")
        async let first = offPool { try pipe.readToEnd() }
        let step = try StepProcess(StepCommand([script, "first"] + Array(repeating: "word", count: 2000)), log: sandbox.path + "/log") { _ in }
        defer { step.killLeftovers() }
        #expect(try await first == "begun\n", "\(sandbox.text("log"))")
        let missed = try await offPool { (0..<200).count { _ in TaggedProcesses.all(step.tag) != [step.pid] } }
        #expect(missed == 0)
    }
}
