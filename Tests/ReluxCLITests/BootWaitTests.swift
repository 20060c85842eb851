import Foundation
import ReluxBus
@testable import ReluxCLI
import ReluxWire
import Synchronization
import Testing

/// How `relux up` waits for the modules of a start.
@Suite struct BootWaitTests {
    @Test func `up prints a line for each module as it comes to rest, none of an earlier cluster's`() throws {
        let scratch = try Scratch()
        let run = try scratch.cluster().run
        let asked = Mutex(0)
        let lines = Mutex<[String]>([])
        let console = Console(out: { line in lines.withLock { $0.append(line) } }, talk: { _ in })
        let status = try BootWait.beside(run, console) { _, supervisor in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            var status = Demo.status
            status.supervisorPid = supervisor
            if count > 2 { status.modules[1].state = ModuleState(.ready) }
            status.modules[1].readyMilliseconds = 55
            if count == 1 {
                // What an earlier cluster has left in the registry's file.
                status.supervisorPid = 99
                status.modules = status.modules.map { module in
                    var module = module
                    module.state = ModuleState(.ready)
                    module.readyMilliseconds = 0
                    return module
                }
            }
            return .status(status)
        }
        #expect(status == .ok)
        let text = lines.withLock { $0.joined(separator: "\n") }
        let normal = text.replacingOccurrences(of: "(broker  ready  |ready in )[0-9]+ms", with: "$1<n>ms", options: .regularExpression)
        #expect(
            normal == """
                broker  ready  <n>ms  pid 100
                Auth     ready  41ms  process  Auth 1.4.0
                Session  ready  55ms  process  Session 1.4.0  (after Auth)
                2/2 ready in <n>ms
                """)
    }

    @Test func `up waits for a module that was ready and is handed over, not for one that was removed`() throws {
        let scratch = try Scratch()
        let run = try scratch.cluster().run
        for isRemoved in [false, true] {
            let asked = Mutex(0)
            let lines = Mutex<[String]>([])
            let console = Console(out: { line in lines.withLock { $0.append(line) } }, talk: { _ in })
            let status = try BootWait.beside(run, console) { _, supervisor in
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                var status = Demo.status
                status.supervisorPid = supervisor
                if count > 1 { status.modules[1].state = ModuleState(.ready) }
                if isRemoved, count > 1 {
                    status.modules.remove(at: 0)
                } else if count == 2 {
                    status.modules[0].state = ModuleState(.recovering)
                }
                return .status(status)
            }
            #expect(status == (isRemoved ? .failed : .ok))
            #expect(lines.withLock { $0.last?.hasPrefix(isRemoved ? "1/2 ready" : "2/2 ready") } == true)
        }
    }

    @Test func `up waits for a closed start barrier, and ends with 1 and its reason when nothing will open it`() throws {
        let scratch = try Scratch()
        let run = try scratch.cluster().run
        for isStuck in [false, true] {
            let asked = Mutex(0)
            let talk = Mutex<[String]>([])
            let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
            let status = try BootWait.beside(run, console) { _, supervisor in
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                var status = Demo.status
                status.supervisorPid = supervisor
                for index in status.modules.indices { status.modules[index].state = ModuleState(.ready) }
                let why = isStuck && count > 2 ? "notes.migrate of Notes was not done: no room" : "evaluation 1: 0 of 1 done"
                status.barriers = [.init(module: "Session", isOpen: !isStuck && count > 3, isStuck: isStuck && count > 2, text: why)]
                return .status(status)
            }
            #expect(status == (isStuck ? .failed : .ok))
            #expect(asked.withLock { $0 } > 2)
            #expect(
                talk.withLock { $0 }.filter { $0.hasPrefix("start:") }
                    == (isStuck ? ["start: the barrier of Session is closed: notes.migrate of Notes was not done: no room"] : []))
        }
    }

    @Test func `up ends with 6 when a module was refused, and tells why not of those that miss`() throws {
        let scratch = try Scratch()
        let run = try scratch.cluster().run
        let talk = Mutex<[String]>([])
        let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
        let status = try BootWait.beside(run, console) { request, supervisor in
            if case .whyNot = request { return .whyNot(unmet: ["imports AuthReluxInt, and Auth is refused", "note: x"]) }
            var status = Demo.status
            status.supervisorPid = supervisor
            status.modules[0].state = ModuleState(.refused, why: "other runtime")
            return .status(status)
        }
        #expect(status == .refused)
        #expect(talk.withLock { $0.contains("Session: imports AuthReluxInt, and Auth is refused") })
    }

    @Test func `up does not wait for a module that is known to be absent`() throws {
        let scratch = try Scratch()
        let run = try scratch.cluster().run
        let talk = Mutex<[String]>([])
        let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
        let why = "imports SyncReluxInt, which no module provides; load Sync"
        let status = try BootWait.beside(run, console) { request, supervisor in
            if case .whyNot = request { return .whyNot(unmet: [why]) }
            var status = Demo.status
            status.supervisorPid = supervisor
            status.modules[1].state = ModuleState(.waiting, why: why)
            status.picture.members = [
                .init(module: "Session", epoch: Epoch(1), handles: [], emits: [], provides: [], observes: [], host: "Session", absence: why)
            ]
            return .status(status)
        }
        #expect(status == .failed)
        #expect(talk.withLock { $0.contains("Session: \(why)") })
    }
}
