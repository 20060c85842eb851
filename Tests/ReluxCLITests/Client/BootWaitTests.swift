import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// How `relux up` waits for the modules of a start.
@Suite struct BootWaitTests {
    /// A wait that has ended.
    private struct Wait {
        var status: ReluxCLI.ExitStatus
        var out: [String]
        var talk: [String]
        var questions: Int
    }

    /// Runs a wait beside a broker that tells the demo's status as it is changed for each question, which are counted from 1.
    ///
    /// - Parameter unmet: what the broker answers to why-not.
    private static func wait(
        unmet: [String] = [], _ change: @escaping @Sendable (_ status: inout ClusterStatus, _ question: Int) -> Void
    ) throws -> Wait {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let (out, talk) = (Lines(), Lines())
        let console = Console(out: { out.add($0) }, talk: { talk.add($0) })
        let status = try BootWait.beside(try scratch.cluster().run, console) { request, supervisor in
            if case .whyNot = request { return .whyNot(unmet: unmet) }
            let question = asked.withLock { count in
                count += 1
                return count
            }
            var status = Demo.status
            status.supervisorPid = supervisor
            change(&status, question)
            return .status(status)
        }
        return Wait(status: status, out: out.all, talk: talk.all, questions: asked.withLock { $0 })
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `up prints a line for each module as it comes to rest, none of an earlier cluster's`() throws {
        let wait = try Self.wait { status, question in
            if question > 2 { status.modules[1].state = ModuleState(.ready) }
            status.modules[1].readyMilliseconds = 55
            guard question == 1 else { return }
            // An earlier cluster has left this in the registry's file.
            status.supervisorPid = 99
            for index in status.modules.indices {
                status.modules[index].state = ModuleState(.ready)
                status.modules[index].readyMilliseconds = 0
            }
        }
        #expect(wait.status == .ok)
        let text = wait.out.joined(separator: "\n")
        let normal = text.replacingOccurrences(of: "(broker  ready  |ready in )[0-9]+ms", with: "$1<n>ms", options: .regularExpression)
        #expect(
            normal == """
                broker  ready  <n>ms  pid 100
                Auth     ready  41ms  process  Auth 1.4.0
                Session  ready  55ms  process  Session 1.4.0  (after Auth)
                2/2 ready in <n>ms
                """)
    }

    @Test(arguments: [false, true])
    func `up waits for a module that was ready and is handed over, not for one that was removed`(isRemoved: Bool) throws {
        let wait = try Self.wait { status, question in
            if question > 1 { status.modules[1].state = ModuleState(.ready) }
            if isRemoved, question > 1 {
                status.modules.remove(at: 0)
            } else if question == 2 {
                status.modules[0].state = ModuleState(.recovering)
            }
        }
        #expect(wait.status == (isRemoved ? .failed : .ok))
        #expect(wait.out.last?.hasPrefix(isRemoved ? "1/2 ready" : "2/2 ready") == true)
    }

    @Test(arguments: [false, true])
    func `up waits for a closed start barrier, and ends with 1 and its reason when nothing will open it`(isStuck: Bool) throws {
        let wait = try Self.wait { status, question in
            for index in status.modules.indices { status.modules[index].state = ModuleState(.ready) }
            let why = isStuck && question > 2 ? "notes.migrate of Notes was not done: no room" : "evaluation 1: 0 of 1 done"
            status.barriers = [.init(module: "Session", isOpen: !isStuck && question > 3, isStuck: isStuck && question > 2, text: why)]
        }
        #expect(wait.status == (isStuck ? .failed : .ok))
        #expect(wait.questions > 2)
        #expect(
            wait.talk.filter { $0.hasPrefix("start:") }
                == (isStuck ? ["start: the barrier of Session is closed: notes.migrate of Notes was not done: no room"] : []))
    }

    @Test func `up ends with 6 when a module was refused, and tells why not of those that miss`() throws {
        let wait = try Self.wait(unmet: ["imports AuthReluxInt, and Auth is refused", "it waits"]) { status, _ in
            status.modules[0].state = ModuleState(.refused, why: "other runtime")
        }
        #expect(wait.status == .refused)
        #expect(wait.talk.contains("Session: imports AuthReluxInt, and Auth is refused"))
    }

    @Test func `up does not wait for a module that is known to be absent`() throws {
        let why = "imports SyncReluxInt, which no module provides; load Sync"
        let wait = try Self.wait(unmet: [why]) { status, _ in
            status.modules[1].state = ModuleState(.waiting, why: why)
            status.picture.members = [
                .init(module: "Session", epoch: Epoch(1), handles: [], emits: [], provides: [], observes: [], host: "Session", absence: why)
            ]
        }
        #expect(wait.status == .failed)
        #expect(wait.talk.contains("Session: \(why)"))
    }
}
