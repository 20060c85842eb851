import Foundation
import Glibc
import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

@Suite(.timeLimit(.minutes(2))) struct CrashReportTests {
    @Test func `a trap leaves its frames, its signal and the effects in flight in both files`() throws {
        let scratch = Scratch()
        var children = try ChildProcesses()
        let pid = try children.spawn(
            ChildSpec(
                executable: Scratch.probe, arguments: ["crash"],
                environment: ["SWIFT_BACKTRACE": Backtrace.setting(directory: scratch.path)], log: scratch.path + "/log"))
        let end = children.end(of: pid)
        let status = try #require(end)
        #expect(status == .signalled(SIGILL) || status == .signalled(SIGTRAP))
        var report = CrashReport(
            host: HostID(rawValue: "Auth"), pid: pid, status: status, modules: ["Auth"],
            time: Date(timeIntervalSince1970: 0), directory: scratch.path)
        report.add([EffectID(module: "Notes", position: 42)], of: 1)
        report.add([EffectID(module: "Settings", position: 7)], of: 3)
        let path = try report.write(to: scratch.path)
        #expect(path == "\(scratch.path)/Auth-\(pid).txt")
        let text = scratch.text("Auth-\(pid).txt")
        #expect(text.contains("host       Auth (pid \(pid))\ntime       1970-01-01T00:00:00Z\nstatus     \(status)\n"))
        #expect(text.contains("in flight  Notes#42, Settings#7 and 2 more\n"))
        #expect(text.contains("box(_:_:)") && text.contains("main.swift"), "\(text)")
        let json = try JSONSerialization.jsonObject(with: Data(scratch.text("Auth-\(pid).json").utf8)) as? [String: Any]
        #expect(json?["signal"] as? Int32 == status.signal)
        #expect(json?["host"] as? String == "Auth")
        #expect((json?["topFrames"] as? [String])?.contains { $0.contains("box") } == true)
        #expect(!text.contains("rax") && !scratch.text("log").contains("rax"), "registers would show memory")
    }

    @Test func `a report is written whatever lies in its place, and nobody waits for a pipe in that of the backtrace`() throws {
        let scratch = Scratch()
        try #require(mkfifo(scratch.path + "/relux-host-7-1.log", 0o600) == 0)
        try #require(mkdir(scratch.path + "/Auth-7.txt", 0o700) == 0 && mkfifo(scratch.path + "/Auth-7.json", 0o600) == 0)
        let report = CrashReport(host: "Auth", pid: 7, status: .exited(1), modules: ["Auth"], time: Date(), directory: scratch.path)
        #expect(report.topFrames.isEmpty)
        _ = try report.write(to: scratch.path)
        #expect(scratch.text("Auth-7.txt").contains("status     exit 1") && scratch.text("Auth-7.json").contains("exit 1"))
    }

    @Test func `of many reports the newest are kept`() throws {
        let scratch = Scratch()
        let directory = scratch.path + "/crashes"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        for number in 0..<9 {
            let path = "\(directory)/Auth-\(number).txt"
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: Double(number))], ofItemAtPath: path)
        }
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
        CrashFolder.trim(directory, limit: 9)
        #expect(try names().count == 9)
        CrashFolder.trim(directory, limit: 8)
        #expect(try names() == (3..<9).map { "Auth-\($0).txt" })
        CrashFolder.trim(scratch.path + "/none")
    }

    @Test func `when the clock was set back, what says it is of tomorrow goes first, and what has just been written stays`() throws {
        let scratch = Scratch()
        let directory = scratch.path + "/crashes"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let now = Date(timeIntervalSince1970: 1_000_000)
        for number in 0..<9 {
            let path = "\(directory)/Auth-\(number).txt"
            try Data().write(to: URL(fileURLWithPath: path))
            let written = number < 6 ? now + 86_400 * Double(number + 1) : now - 10 + Double(number)
            try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
        }
        CrashFolder.trim(directory, limit: 4, now: now)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(left == (6..<9).map { "Auth-\($0).txt" }, "\(left)")
    }

    @Test func `who crashes again and again leaves the reports of others alone`() throws {
        let scratch = Scratch()
        let directory = scratch.path + "/crashes"
        try FileManager.default.createDirectory(atPath: directory + "/notes", withIntermediateDirectories: true)
        let old = ["Auth-1.json", "Auth-1.txt", "auth-2-7.txt"]
        let names = old + (0..<20).map { "broker-1\($0).txt" } + (0..<20).map { "relux-broker-1\($0)-20261124T1.log" }
        for (number, name) in names.enumerated() {
            let path = "\(directory)/\(name)"
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: Double(number))], ofItemAtPath: path)
        }
        CrashFolder.trim(directory, limit: 20)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(left.count == 16 && Set(left).isSuperset(of: old + ["notes", "broker-119.txt", "relux-broker-119-20261124T1.log"]), "\(left)")
    }

    @Test func `frames are read without addresses and only the crashed thread's`() {
        let text = """
            *** Program crashed: Illegal instruction at 0x00007fa85c16df7f ***

            Thread 0 "crashy" crashed:

              0      0x00007fa85c16df7f closure #1 in f() + 623 in libswiftCore.so
              1 [ra] 0x0000563d67778f71 Box.inner(_:) + 32 in crashy at c.swift:1:47
            ...

            """
        #expect(
            Backtrace.topFrames(in: text)
                == ["closure #1 in f() + 623 in libswiftCore.so", "Box.inner(_:) + 32 in crashy at c.swift:1:47"])
        #expect(Backtrace.headline(in: text) == "Program crashed: Illegal instruction at 0x00007fa85c16df7f")
        #expect(Backtrace.topFrames(in: "no frames\n7 apples") == [])
    }

    @Test func `a death without a backtrace has a report too`() throws {
        let scratch = Scratch()
        var report = CrashReport(
            host: HostID(rawValue: "Auth"), pid: 7, status: .signalled(SIGKILL), modules: [], time: Date(timeIntervalSince1970: 0),
            directory: scratch.path)
        #expect(
            report.text == """
                host       Auth (pid 7)
                time       1970-01-01T00:00:00Z
                status     signal 9 (SIGKILL)
                modules    none
                in flight  not told yet by the publishers, or they died too

                """)
        report.add([], of: 0)
        #expect(report.text.contains("in flight  none\n"))
    }

    @Test func `a report has the last words, and the effect that has to answer for the death`() throws {
        let scratch = Scratch()
        let report = CrashReport(
            host: HostID(rawValue: "Auth"), pid: 7, status: .signalled(SIGILL), modules: ["Auth"], time: Date(timeIntervalSince1970: 0),
            directory: scratch.path, message: "Auth/Flow.swift:1: Fatal error: no\nreally", charge: EffectID(module: "Notes", position: 42))
        #expect(report.text.contains("charged to Notes#42, which ran again alone; not counted against the host\n"))
        #expect(report.text.contains("message    Auth/Flow.swift:1: Fatal error: no\n           really\n"))
        let decoded = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: try report.write(to: scratch.path).dropLast(3) + "json")))
        #expect((decoded as? [String: Any])?["charge"] as? String == "Notes#42")
    }
}
