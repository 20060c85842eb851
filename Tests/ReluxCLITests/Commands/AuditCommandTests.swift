import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct AuditCommandTests {
    @Test func `without a cluster the books balance, and what is open is unknown`() throws {
        let books = try SampleBooks()
        let (status, out, _) = books.output(["audit"])
        #expect(status == .ok)
        try expectGolden(out, "AuditCommandTests/offline")
        try expectGolden(books.output(["audit", "-o", "wide"]).out, "AuditCommandTests/offline-wide")
        try expectGolden(books.output(["audit", "--json"]).out, "AuditCommandTests/offline-json")
        #expect(books.output(["audit", "-o", "name"]).out.isEmpty)
    }

    @Test func `with a cluster what is open is in flight, or parked and why`() throws {
        for (phase, why) in [(ModuleState.Phase.ready, ""), (.backoff, "starts again in 200 ms")] {
            let books = try SampleBooks()
            let broker = try FakeBroker(run: books.scratch.path) { _ in
                .status(
                    ClusterStatus(
                        brokerPid: 1, supervisorPid: 2, phase: .open, picture: ClusterPicture(version: 1, members: [], hosts: []),
                        modules: [
                            Demo.module("Auth", "domain", ModuleState(.ready), pid: 1),
                            Demo.module("Notes", "domain", ModuleState(phase, why: why), pid: 2),
                        ], notes: []))
            }
            let (status, out, _) = books.output(["audit"])
            #expect(status == .ok)
            try expectGolden(out, "AuditCommandTests/\(phase)")
            #expect(broker.requests.count == 1)
        }
    }

    @Test func `what is open for a module that waits in vain is parked, although it has a process`() throws {
        let books = try SampleBooks()
        let why = "imports SyncReluxInt, which no module provides; load Sync"
        let absent = ClusterPicture.Member(
            module: "Notes", epoch: Epoch(1), handles: [], emits: [], provides: [], observes: [], host: "Notes", absence: why)
        let broker = try FakeBroker(run: books.scratch.path) { _ in
            .status(
                ClusterStatus(
                    brokerPid: 1, supervisorPid: 2, phase: .open, picture: ClusterPicture(version: 1, members: [absent], hosts: []),
                    modules: [
                        Demo.module("Auth", "domain", ModuleState(.ready), pid: 1),
                        Demo.module("Notes", "domain", ModuleState(.waiting, why: why), pid: 2),
                    ], notes: []))
        }
        let (status, out, _) = books.output(["audit"])
        #expect(status == .ok)
        try expectGolden(out, "AuditCommandTests/absent")
        withExtendedLifetime(broker) {}
    }

    @Test func `what does not balance ends with 8 and is named with both modules and a remedy`() throws {
        let books = try SampleBooks(acknowledged: 10)
        let (status, out, _) = books.output(["audit"])
        #expect(status == .lost)
        try expectGolden(out, "AuditCommandTests/unbalanced")
        let json = books.output(["audit", "--json"])
        #expect(json.status == .lost)
        try expectGolden(json.out, "AuditCommandTests/unbalanced-json")
        #expect(books.output(["audit", "-o", "name"]).out.split(separator: "\n").contains("Auth Auth.Business.Effect Notes"))
    }

    @Test func `a journal that cannot be read ends with 1`() throws {
        let books = try SampleBooks()
        let file = books.run.journal(of: "Notes") + "/0000000000000001.seg"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[700] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        let (status, out, _) = books.output(["audit"])
        #expect(status == .failed)
        #expect(out.contains("unreadable  Notes: ") && out.contains("relux journal verify Notes") && out.contains("NOT PROVEN"))
    }

    @Test func `without journals there is nothing to audit`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["audit", "--run", scratch.path]) == .ok)
        #expect(console.out.isEmpty && console.talk == "there is nothing to audit in \(scratch.path)/journals")
    }
}
