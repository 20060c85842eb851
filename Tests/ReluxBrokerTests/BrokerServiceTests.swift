import Foundation
import Glibc
import ReluxControl
import ReluxWire
import Testing

@testable import ReluxBroker
@testable import ReluxRegistry
import ReluxTestKit

@Suite struct BrokerServiceTests {
    @Test func `a broker that ended before it spoke to anybody leaves the next one an epoch of its own`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        var epochs: [UInt64] = []
        for _ in 1...3 {
            let service = try BrokerService(run: run)
            service.requestEnd()
            try service.serve()
            let snapshot = try #require(try RegistryFile(path: run.registry).read())
            epochs.append(try #require(snapshot.epochs[Registry.builtIn]))
        }
        #expect(epochs == [1, 2, 3])
    }

    @Test func `a broker whose registry file is lost goes on behind what the journals say`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        for expected in UInt64(1)...3 {
            let service = try BrokerService(run: run)
            service.requestEnd()
            try service.serve()
            let snapshot = try #require(try RegistryFile(path: run.registry).read())
            #expect(snapshot.epochs[Registry.builtIn] == expected)
            unlink(run.registry)
        }
    }

    @Test func `a journal that cannot be read keeps no broker from starting, and is named with its error`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        // It leads to itself: nobody, root included, gets to its end.
        try #require(symlink("Bad", run.journal(of: "Bad")) == 0)
        let service = try BrokerService(run: run)
        service.requestEnd()
        try service.serve()
        let snapshot = try #require(try RegistryFile(path: run.registry).read())
        #expect(snapshot.epochs[Registry.builtIn] == 1)
        unlink(run.journal(of: "Bad"))
    }

    @Test(.enabled(if: geteuid() == 0, "a mount needs root"))
    func `a broker that starts where nothing can be written waits until it can`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try #require(mkdir(run.path, 0o700) == 0)
        defer { rmdir(run.path) }
        try #require(mount("none", run.path, "tmpfs", 0, "size=8m,mode=700") == 0, "a mount is not allowed here: errno \(errno)")
        defer { umount2(run.path, Int32(MNT_DETACH)) }
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        try #require(mount("none", run.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "") == 0)
        let service = try BrokerService(run: run)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try service.serve() } catch { Issue.record(error) }
            ended.signal()
        }
        #expect(ended.wait(timeout: .now() + .milliseconds(500)) == .timedOut)
        try #require(mount("none", run.path, "tmpfs", UInt(MS_REMOUNT), "") == 0)
        while access(run.journal(of: Registry.builtIn.rawValue), F_OK) != 0 {
            try #require(ended.wait(timeout: .now() + .milliseconds(10)) == .timedOut, "the broker has ended before it could write")
        }
        service.requestEnd()
        ended.wait()
        #expect(try RegistryFile(path: run.registry).read()?.epochs[Registry.builtIn] == 1)
    }

    @Test func `a broker whose directory was replaced ends, and leaves the registry in the new one alone`() throws {
        let directory = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: directory.file("run"))
        let moved = directory.file("moved")
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        let service = try BrokerService(run: run)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? service.serve()
            ended.signal()
        }
        while access(run.journal(of: Registry.builtIn.rawValue), F_OK) != 0 {
            try #require(ended.wait(timeout: .now() + .milliseconds(10)) == .timedOut, "the broker has ended before its directory was replaced")
        }
        try #require(rename(run.path, moved) == 0)
        try run.create()
        try Data("another's".utf8).write(to: URL(fileURLWithPath: run.registry))
        ended.wait()
        #expect(try String(contentsOfFile: run.registry, encoding: .utf8) == "another's")
    }
}
