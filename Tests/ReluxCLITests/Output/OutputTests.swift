import Foundation
import Relux
@testable import ReluxCLI
import ReluxControl
import ReluxTap
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct OutputTests {
    @Test func `columns line up and no line ends with blanks`() {
        var table = TextTable(["A", "LONG", "C"])
        table.add(["wide cell", "x", ""])
        table.add(["y", "", "z"])
        #expect(table.lines() == ["A          LONG  C", "wide cell  x", "y                z"])
    }

    @Test func `a quiet cluster fits 80 columns, and what goes wrong with one module is a column`() {
        var status = Demo.status
        status.modules[1].state = ModuleState(.ready)
        for index in status.modules.indices {
            status.modules[index].restarts = 0
            status.modules[index].pid = 4_194_304
        }
        status.modules[1].id = "SessionOrchestration"
        let quiet = StatusOutput.table(status, wide: false, style: .plain)
        #expect(quiet.allSatisfy { $0.count <= 80 } && !quiet[0].contains("FAILED") && quiet[0].contains("STATE  RESTARTS  AGE"), "\(quiet)")
        status.modules[0].counters.failed = 1
        let troubled = StatusOutput.table(status, wide: false, style: .plain)
        #expect(troubled[0].hasSuffix("  HANDLED  FAILED") && troubled.allSatisfy { $0.count <= 80 }, "\(troubled)")
        // What went wrong stays, and counts that grow in any case give way to it.
        (status.modules[0].counters.refused, status.modules[0].counters.lost) = (12_345, 99_999)
        let worse = StatusOutput.table(status, wide: false, style: .plain)
        #expect(worse[0].hasSuffix("AGE  PID      FAILED  REFUSED  LOST") && worse.allSatisfy { $0.count <= 80 }, "\(worse)")
        #expect(StatusOutput.table(status, wide: true, style: .plain)[0].contains("FAILED  REFUSED  LOST   KIND"))
    }

    @Test func `a build that its version does not tell from another is named with its digest`() throws {
        var status = Demo.status
        status.modules[0].build = "1.4.0-abc"
        let lines = StatusOutput.table(status, wide: false, style: .plain)
        #expect(lines[1].contains("  1.4.0-abc  ") && lines[2].contains("  1.4.0  "), "\(lines)")
        #expect(StatusOutput.json(status, run: "x").text().contains(#""build":"1.4.0-abc""#))
    }

    @Test func `a process that has ended under a stopped supervisor is not ready, whatever the broker believes`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        func child(_ executable: String, _ arguments: String...) throws -> pid_t {
            try DetachedProcess(executable: executable, arguments: arguments, environment: [:], log: "\(scratch.path)/log").pid
        }
        let (supervisor, living, gone) = (try child("/bin/sleep", "1000"), try child("/bin/sleep", "1000"), try child("/bin/true"))
        defer { for pid in [supervisor, living] { kill(pid, SIGKILL) } }
        func wait(for pid: pid_t, _ what: Int32) {
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, what | WNOWAIT) != 0, errno == EINTR {}
        }
        // It is left to be reaped, as the child of a stopped supervisor is.
        wait(for: gone, WEXITED)
        var said = Demo.status
        (said.supervisorPid, said.modules[0].pid, said.modules[1].pid) = (supervisor, gone, living)
        said.modules[1].state = ModuleState(.ready)
        #expect(said.knowingEnds.modules.map(\.state.phase) == [.ready, .ready], "a supervisor that goes on says it itself")
        kill(supervisor, SIGSTOP)
        wait(for: supervisor, WSTOPPED)
        let (status, run) = (said, RunDirectory(path: scratch.path))
        let broker = try FakeBroker(run: run.path) { if case .status = $0 { .status(status) } else { nil } }
        let console = TestConsole()
        #expect(console.run(["status", "--run", run.path]) == .ok)
        #expect(console.out.contains("its process \(gone) is gone, and supervisor \(supervisor), which was stopped by a signal, has not said so"), "\(console.out)")
        #expect(console.out.contains("1/2 ready"), "\(console.out)")
        let doctor = TestConsole()
        _ = doctor.run(["doctor", "--run", run.path])
        #expect(doctor.out.contains("warn  Auth: stopped: its process \(gone) is gone"), "\(doctor.out)")
        withExtendedLifetime(broker) {}
    }

    @Test func `colours do not disturb the columns`() {
        let plain = StatusOutput.table(Demo.status, wide: false, style: .plain)
        let coloured = StatusOutput.table(Demo.status, wide: false, style: TerminalStyle(hasColor: true))
        let stripped = coloured.map { $0.replacingOccurrences(of: "\u{1b}\\[[0-9]+m", with: "", options: .regularExpression) }
        #expect(stripped == plain)
    }

    @Test func `many notes on journals are one line of the status, with their number and modules, and doctor has them all`() throws {
        func note(_ module: ModuleID, _ topic: String) -> ClusterNote {
            ClusterNote(.journal, "the journal of \(module) does not have what others have heard, an older copy of it came back: \(topic) from 2.1 to 2.4 is lost", of: module)
        }
        var status = Demo.status
        status.notes = [
            ClusterNote(.disk, "full"), note("Auth", "A"), note("Auth", "B"), note("Cluster", "C"), note("Auth", "D"), ClusterNote(.files, "files of Auth in x"),
            ClusterNote("Auth emits y"),
        ]
        let lines = StatusOutput.troubles(status)
        #expect(lines == ["disk: full", "journal: 4 notes on Auth, Cluster, such as: " + note("Auth", "A").text + "; relux doctor has them all", "files: files of Auth in x"])
        #expect(DoctorChecks.cluster(status).count { $0.text.contains("is lost") } == 4)
        status.notes.removeLast(3)
        status.notes.removeFirst()
        #expect(StatusOutput.troubles(status) == status.noteLines)
    }

    @Test func `doctor names what is wrong with the remedy`() throws {
        var status = Demo.status
        status.supervisorPid = 0
        let lines = DoctorChecks.cluster(status).map { $0.line(.plain) }
        #expect(lines.contains { $0.hasPrefix("warn  supervisor: none is connected") })
        #expect(lines.contains { $0.hasPrefix("warn  Session: waiting") && $0.hasSuffix("relux module why-not Session") })
        #expect(lines.contains("warn  note: Session emits Auth.Business.Effect"))
        #expect(lines.allSatisfy { !$0.contains("\u{1b}") })
    }

    @Test func `doctor's line of a state without a reason ends with the remedy, and with the reason if there is one`() {
        var status = Demo.status
        for phase in [ModuleState.Phase.stopped, .quarantined, .draining] {
            let verdict = phase == .quarantined ? "fail" : "warn"
            for (why, text) in [("", "\(phase.rawValue)"), ("exit 3", "\(phase.rawValue): exit 3")] {
                status.modules[0].state = ModuleState(phase, why: why)
                #expect(DoctorChecks.cluster(status).map { $0.line(.plain) }.contains("\(verdict)  Auth: \(text); relux module why-not Auth"))
            }
        }
        #expect(DoctorFinding(.ok, "runtime", "x").line(.plain) == "ok    runtime: x")
    }

    @Test func `sockets of hosts that were ended on purpose are not missed, those of one that lives are`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        var status = Demo.status
        status.picture = ClusterPicture(
            version: 1, members: [],
            hosts: ["Auth", "Session"].map { ClusterPicture.Host(id: HostID(rawValue: $0), endpoint: "ipc:///nowhere/\($0).ipc", tapEndpoint: "") })
        status.modules[0].pid = getpid()
        // A host that has ended has no process; the picture follows.
        status.modules[1].pid = 0
        let findings = DoctorChecks.sockets(RunDirectory(path: scratch.path), [], status)
        #expect(findings.map(\.text) == ["/nowhere/Auth.ipc of host Auth is gone"])
    }

    @Test func `a mode that no action knows stands in status and doctor, with the nearest that is known`() throws {
        var status = Demo.status
        let headles = Relux.StartBarrier.UnknownMode(mode: "headles", known: ["kiosk", "headless"])
        status.barriers = [.init(module: "StartupOrchestration", isOpen: true, isStuck: false, text: "", unknownMode: headles)]
        let said = "StartupOrchestration: it is in the mode 'headles', which no action knows, so nothing is left out; did you mean 'headless'?"
        #expect(StatusOutput.barriers(status) == [said])
        #expect(DoctorChecks.cluster(status).map { $0.line(.plain) }.contains("warn  \(said)"))
        #expect(StatusOutput.json(status, run: "/run").text().contains(#""unknownMode":"headles""#))
        status.barriers[0].unknownMode = .init(mode: "zebra", known: ["kiosk", "headless"])
        #expect(StatusOutput.barriers(status).first?.hasSuffix("; known are: headless, kiosk") == true)
        status.barriers[0].unknownMode = nil
        #expect(StatusOutput.barriers(status).isEmpty)
    }

    @Test func `what a module was refused stands in status, module show and doctor, with site, reason and remedy`() throws {
        var status = Demo.status
        status.modules[0].counters.refused = 3
        status.modules[0].counters.refusals = [
            RefusalCount(
                reason: "undeclared", effect: "Notes.Business.Effect.add", site: "AuthReluxImpl/Auth+Flow.swift:41", count: 3,
                message: "Auth does not declare it\u{1b}[2J; add it to `emits`")
        ]
        status.refusedAtIngress = [
            RefusalCount(reason: "ingress-closed", effect: "Auth.Business.Effect.login", site: "ingress", count: 2, message: "it is not open")
        ]
        let row = try #require(StatusOutput.table(status, wide: false, style: .plain).first { $0.hasPrefix("Auth") })
        let header = StatusOutput.table(status, wide: false, style: .plain)[0]
        let column = try #require(header.firstRange(of: "REFUSED")).lowerBound
        #expect(row[column...].hasPrefix("3"))
        #expect(StatusOutput.ingress(status) == "the ingress refused 2: ingress-closed Auth.Business.Effect.login 2")
        #expect(StatusOutput.ingress(Demo.status) == nil)
        let shown = ModuleShowCommand.lines(status.modules[0]).joined(separator: "\n")
        #expect(shown.contains("3  undeclared  Notes.Business.Effect.add  at AuthReluxImpl/Auth+Flow.swift:41: Auth does not declare it"))
        let findings = DoctorChecks.cluster(status).filter { $0.text.contains("was refused") }
        #expect(findings.map(\.subject) == ["Auth", "ingress"] && findings.allSatisfy { $0.verdict == .warn })
        #expect(findings[0].text.contains("refused 3 times (undeclared) at AuthReluxImpl/Auth+Flow.swift:41"))
        #expect(findings[0].remedy == "relux module show Auth")
        #expect(!(shown + findings.map { $0.line(.plain) }.joined()).unicodeScalars.contains { $0.value == 0x1b })
        #expect(StatusOutput.json(status.modules[0]).text().contains(#""refusals":[{"reason":"undeclared""#))
    }

    @Test func `status names the snapshots that a module owns and observes`() {
        var status = Demo.status
        let member = { (module: ModuleID, provides: [Topic], observes: [Topic]) in
            ClusterPicture.Member(module: module, epoch: Epoch(rawValue: 1), handles: [], emits: [], provides: provides, observes: observes, host: nil)
        }
        status.picture.members = [member("Auth", ["Auth.Business.Snapshot"], []), member("Session", [], ["Auth.Business.Snapshot"])]
        guard case .array(let modules)? = StatusOutput.json(status, run: "/run")["modules"] else { return #expect(Bool(false)) }
        #expect(modules.map { $0["provides"] } == [.array(["Auth.Business.Snapshot"]), .array([])])
        #expect(modules.map { $0["observes"] } == [.array([]), .array(["Auth.Business.Snapshot"])])
    }

    @Test func `status and show say for whom nobody waits, and why`() {
        var status = Demo.status
        let why = "it is quarantined"
        status.picture.members = [
            .init(module: status.modules[0].id, epoch: Epoch(1), handles: [], emits: [], provides: [], observes: [], host: nil, absence: why)
        ]
        guard case .array(let modules)? = StatusOutput.json(status, run: "/run")["modules"] else { return #expect(Bool(false)) }
        #expect(modules[0]["absence"] == .string(why) && modules[1]["absence"] == nil)
        let lines = ModuleShowCommand.lines(status.modules[0], why)
        #expect(lines.count { $0.hasPrefix("absent") && $0.hasSuffix("nobody waits for it: \(why)") } == 1)
        #expect(lines.count == ModuleShowCommand.lines(status.modules[0]).count + 1)
    }

    @Test func `doctor fails on a directory that others can read`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
        let findings = DoctorChecks.directory(RunDirectory(path: scratch.path))
        #expect(findings.contains { $0.verdict == .fail && $0.remedy == "chmod 700 \(scratch.path)" })
    }

    @Test func `doctor fails on a plugin of another runtime`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let manifest = """
            {"format": 1, "module": {"id": "Auth", "version": "1.0.0", "kind": "domain", "handling": "concurrent",
            "handles": [], "emits": [], "provides": [], "observes": []},
            "library": "libAuthReluxImpl.so", "files": [], "runtimeGuard": "relux_abi_0", "compiler": "", "target": "",
            "imports": [], "contract": {"topics": [], "snapshots": []}}
            """
        let directory = "\(scratch.path)/Auth/current"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(directory)/manifest.json"))
        let findings = DoctorChecks.packed(scratch.path, active: [])
        #expect(findings.count == 1)
        #expect(findings.first?.verdict == .fail)
        #expect(findings.first?.text.contains("relux_abi_0") == true)
    }

    @Test func `a module's log is that of the process that runs it now, under the module's name`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try FakeBroker(run: scratch.path) { _ in
            var status = Demo.status
            status.modules[0].host = HostID(rawValue: "Auth.2")
            return .status(status)
        }
        for (process, line) in [("Auth", "the old one"), ("Auth.2", "the new one"), ("Session", "another")] {
            try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: broker.directory.log(of: process)))
        }
        let console = TestConsole()
        #expect(console.run(["logs", "Auth", "--run", scratch.path]) == .ok)
        #expect(console.out == "the new one")
        let all = TestConsole()
        #expect(all.run(["logs", "--run", scratch.path]) == .ok)
        #expect(all.out == "Auth  the old one\nAuth  the new one\nSession  another")
    }

    @Test func `logs show whole lines of one process, or of all with their names`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: scratch.path)
        try run.create()
        try Data("one\ntwo\u{1b}[2J\nhalf".utf8).write(to: URL(fileURLWithPath: run.log(of: "Auth")))
        try Data("up\n".utf8).write(to: URL(fileURLWithPath: run.log(of: "broker")))
        let console = TestConsole()
        #expect(console.run(["logs", "Auth", "--run", scratch.path]) == .ok)
        #expect(console.run(["logs", "-n", "1", "--run", scratch.path]) == .ok)
        #expect(console.out == "one\ntwo\\u{1b}[2J\nAuth  two\\u{1b}[2J\nbroker  up")
        #expect(console.run(["logs", "Auht", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("did you mean 'Auth'?"))
    }

    @Test func `the version that was packed last is current`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        for version in ["1.0.0-a", "1.1.0-b"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/Auth/\(version)", withIntermediateDirectories: true)
            try PackPublication.makeCurrent("\(scratch.path)/Auth/\(version)")
        }
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "\(scratch.path)/Auth/current")
        #expect(link == "1.1.0-b")
    }

    @Test func `a process is alive until it has ended, and no other takes its place`() {
        #expect(ProcessIdentity(pid: getpid()).isAlive)
        #expect(!ProcessIdentity(pid: Int32.max).isAlive)
    }

    @Test func `a detached process has its output in the log and tells how it ended`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let log = "\(scratch.path)/x.log"
        var child = try DetachedProcess(
            executable: "/bin/sh", arguments: ["-c", "echo $GREETING; cut -d' ' -f6 /proc/$$/stat; exit 3"],
            environment: ["GREETING": "hello", "PATH": "/usr/bin:/bin"], log: log)
        var status: Int32?
        for _ in 0..<2000 where status == nil {
            status = child.ended()
            usleep(10_000)
        }
        #expect(status == 3)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "hello")
        #expect(lines.last == "\(child.pid)")
        #expect(throws: CLIError.self) {
            try DetachedProcess(executable: "/nonexistent", arguments: [], environment: [:], log: log)
        }
    }
}
