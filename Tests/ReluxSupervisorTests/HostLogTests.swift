import Foundation
import Glibc
import ReluxSystem
import Testing

@testable import ReluxSupervisor

@Suite struct HostLogTests {
    @Test func `a full log becomes the older one when its host starts`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/log"
        try Data(repeating: 65, count: 100).write(to: URL(fileURLWithPath: path))
        close(try HostLog.open(path, limit: 101))
        #expect(scratch.text("log").count == 100)
        close(try HostLog.open(path, limit: 100))
        #expect(scratch.text("log").isEmpty && scratch.text("log.1").count == 100)
    }

    @Test func `a full log is emptied under its writer, who goes on at its start`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/log"
        let writer = try HostLog.open(path)
        defer { close(writer) }
        write(writer, "before\n", 7)
        HostLog.trim(path, limit: 7)
        write(writer, "after\n", 6)
        #expect(scratch.text("log") == "after\n" && scratch.text("log.1") == "before\n")
    }

    @Test func `a log is written whatever lies in its place or in that of the older one, and nobody waits`() throws {
        for (kind, make) in [
            ("directory", { mkdir($0, 0o700) }), ("pipe", { mkfifo($0, 0o600) }), ("socket", { mknod($0, S_IFSOCK | 0o600, 0) }), ("link", { symlink("nowhere", $0) }),
        ] as [(String, (String) -> Int32)] {
            let scratch = Scratch()
            let path = scratch.path + "/log"
            try #require(make(path) == 0 && make(path + ".1") == 0, "\(kind)")
            let writer = try HostLog.open(path)
            defer { close(writer) }
            write(writer, "before\n", 7)
            HostLog.trim(path, limit: 7)
            #expect(scratch.text("log").isEmpty && scratch.text("log.1") == "before\n", "\(kind)")
            write(writer, "after!\n", 7)
            try #require(unlink(path + ".1") == 0 && make(path + ".1") == 0)
            close(try HostLog.open(path, limit: 7))
            #expect(scratch.text("log").isEmpty && scratch.text("log.1") == "after!\n", "\(kind)")
        }
    }

    @Test func `the last words are those of this life, also when the log was emptied under it`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/log"
        func log(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        let earlier = "Notes/Flow.swift:7: Fatal error: an earlier life\n"
        try log(earlier)
        let begin = HostLog.end(of: path)
        #expect(begin == Int64(earlier.utf8.count))
        #expect(HostLog.lastWords(in: path, from: begin) == nil)
        let later = "ready\nNotes/Flow.swift:9: Fatal error: two\nlines\n\n*** Signal 4: Backtracing from 0x1... done ***\nrest\n"
        try log(earlier + later)
        #expect(HostLog.lastWords(in: path, from: begin) == "Notes/Flow.swift:9: Fatal error: two\nlines")
        try log("Precondition failed: short\n")
        #expect(HostLog.lastWords(in: path, from: begin) == "Precondition failed: short")
        #expect(HostLog.end(of: path, limit: 5) == 0, "the next life begins a new one")
        #expect(HostLog.end(of: scratch.path + "/none") == 0)
        #expect(HostLog.lastWords(in: scratch.path + "/none", from: 0) == nil)
    }

    @Test func `not everything that speaks of a fatal error is one`() {
        #expect(LastWords.find(in: "no Fatal error: of ours\n") == nil)
        #expect(LastWords.find(in: "") == nil)
        let log = "relux-host Notes: refused Notes: loader.hash: libNotes.so differs: pack it again\nplain words\nrelux-host Notes: no module is left\n"
        #expect(LastWords.reason(in: log) == "refused Notes: loader.hash: libNotes.so differs: pack it again")
        #expect(LastWords.reason(in: "relux-broker: one\nrelux-broker: two\n") == "two")
        #expect(LastWords.reason(in: "words of others\n\n") == "the last line of its log is: words of others" && LastWords.reason(in: "") == nil)
        #expect(LastWords.reason(in: "relux-host: Nasty waits\nno licence\n") == "the last line of its log is: no licence")
        for line in ["a.out: a.c:7: main: Assertion `x > 0' failed.", "terminate called without an active exception", "./a: error while loading shared libraries: b.so: no such file"] {
            #expect(LastWords.find(in: "before\n\(line)\n") == line)
        }
        let noisy = "a:1: Fatal error: one\nswift-backtrace: failed to suspend thread 7: no such process\nfailed to suspend thread 8\nmore\n"
        #expect(LastWords.find(in: noisy) == "a:1: Fatal error: one\nmore")
        let long = LastWords.find(in: "Fatal error: " + String(repeating: "a", count: 9000))
        #expect(long?.utf8.count == 1024 && long?.last == "…")
        #expect(LastWords.find(in: "a:1: Fatal error: one\na:2: Fatal error: two\n") == "a:2: Fatal error: two")
    }

    @Test func `a child whose log cannot be had is started without`() throws {
        let descriptor = try HostLog.open("/nowhere/log")
        defer { close(descriptor) }
        #expect(FileIdentity(descriptor: descriptor) == FileIdentity(path: "/dev/null"))
    }
}
