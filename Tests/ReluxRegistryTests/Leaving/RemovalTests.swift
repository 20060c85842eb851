import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

@Suite struct RemovalTests {
    @Test func `a module that others import is removed only after a yes, and they wait for its return`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let no = cluster.ask(.unload(module: "Auth", yes: false))
        #expect(no?.refusal?.code == "is-imported")
        #expect(no?.refusal?.message.contains("SessionOrchestration") == true)
        #expect(cluster.phase("Auth") == .ready)

        let yes = cluster.takesOut("Auth")
        let lines = try #require(yes)
        #expect(lines.count == 3)
        #expect(lines[0] == "Auth is removed: it has drained and left")
        #expect(lines.contains("waiting for its return: SessionOrchestration"))
        #expect(cluster.phase("Auth") == nil)
        #expect(cluster.running["auth"] == nil)
        #expect(cluster.phase("SessionOrchestration") == .waiting)
        #expect(!cluster.registry.picture.members.contains { $0.module == "Auth" })

        let pid = cluster.running["sessionorchestration"]?.pid
        cluster.ask(.load(host: HostSpec(id: "auth", plugins: ["plugins/Auth/1.0.0-abc"]), dryRun: false))
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.phase("SessionOrchestration") == .ready)
        #expect(cluster.running["sessionorchestration"]?.pid == pid)
        #expect(cluster.running["auth"]?.epochs["Auth"] == Epoch(rawValue: 2))
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `who has a module taken out is told how many effects were lost with it`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        #expect(cluster.ask(.unload(module: "Auth", yes: true), id: "unload") == nil)
        #expect(cluster.phase("Auth") == nil)
        cluster.host("sessionorchestration", tells: ["SessionOrchestration": LostBook(epoch: Epoch(1), ["Auth": 3])])
        cluster.pass(.milliseconds(600))
        #expect(cluster.answers["unload"]?.last?.lines?.last == "3 effects were lost with it so far; all of them: relux audit")
    }

    @Test func `given removal in progress, the same module added again is queued until it has ended`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Notes", .domain))
        cluster.boot([spec])
        cluster.slow = ["Notes"]
        #expect(cluster.ask(.unload(module: "Notes", yes: false), id: "remove") == nil)
        #expect(cluster.phase("Notes") == .draining)
        let queued = cluster.ask(.load(host: spec, dryRun: false))
        #expect(queued?.lines?.first?.contains("as soon as the removal of Notes has ended") == true)
        #expect(cluster.starts == ["notes"])
        cluster.slow = []
        cluster.leave("notes", "Notes")
        cluster.play()
        cluster.pass(.milliseconds(600))
        #expect(cluster.answers["remove"]?.count == 1)
        #expect(cluster.starts == ["notes", "notes"])
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(rawValue: 2))
        #expect(cluster.complaints.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a load that waits for a removal and was answered is done by the next broker too`(isSharedWithAnother: Bool) {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Notes", .domain))
        let other = cluster.host(declaration("Auth", .domain))
        cluster.boot([spec, other])
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: false))
        let wanted = isSharedWithAnother ? HostSpec(id: "auth", plugins: spec.plugins) : spec
        #expect(cluster.ask(.load(host: wanted, dryRun: false))?.lines?.first?.contains("as soon as") == true)
        cluster.restartBroker()
        cluster.resume("notes")
        cluster.resume("auth")
        cluster.boot([spec, other])
        cluster.slow = []
        cluster.leave("notes", "Notes")
        cluster.play()
        #expect(cluster.phase("Notes") == .ready && cluster.registry.modules["Notes"]?.host == wanted.id)
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(rawValue: 2))
        // It was done once.
        cluster.restartBroker()
        #expect(cluster.registry.startQueue.loads.isEmpty)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `of a load that has waited, what is in order is loaded though another part of it is refused`() {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("Notes", .domain)), cluster.pack(declaration("Auth", .domain))]
        cluster.boot([HostSpec(id: "shared", plugins: plugins)])
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: false))
        let wanted = HostSpec(
            id: "shared", plugins: [plugins[0], cluster.pack(declaration("Greedy", .domain), imports: ["AuthReluxInt"])])
        #expect(cluster.ask(.load(host: wanted, dryRun: false))?.lines?.first?.contains("as soon as") == true)
        cluster.slow = []
        cluster.leave("shared", "Notes")
        cluster.play()
        #expect(cluster.phase("Notes") == .ready && cluster.phase("Auth") == .ready)
        #expect(cluster.phase("Greedy") == .refused && cluster.why("Greedy").contains("domains do not know each other"))
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a load waits for the module that its directory names also when the next broker cannot read its manifest`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Notes", .domain))
        cluster.boot([spec])
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: false))
        cluster.ask(.load(host: HostSpec(id: "other", plugins: spec.plugins), dryRun: false))
        cluster.manifests[spec.plugins[0]] = .unreadable(code: "manifest", message: "too many open files")
        cluster.restartBroker()
        cluster.resume("notes")
        cluster.pass(.seconds(1), in: 4)
        #expect(cluster.registry.startQueue.loads.count == 1 && cluster.phase("Notes") == .draining)
    }

    @Test func `a process that does not let go of what was taken out is restarted in a while`() {
        var cluster = FakeCluster()
        let plugins = (["Notes", "Auth", "Profile"] as [ModuleID]).map { cluster.pack(declaration($0, .domain)) }
        cluster.boot([HostSpec(id: "shared", plugins: plugins)])
        cluster.slow = ["Notes", "Profile"]
        cluster.ask(.unload(module: "Notes", yes: false))
        cluster.pass(.seconds(10), in: 10)
        #expect(cluster.registry.modules["Notes"] == nil && cluster.registry.writers == ["Notes"])
        let pid = cluster.running["shared"]?.pid
        cluster.pass(.seconds(10), in: 10)
        // Others leave meanwhile, one after the other.
        cluster.ask(.unload(module: "Profile", yes: false))
        cluster.pass(.seconds(8), in: 8)
        cluster.leave("shared", "Profile")
        cluster.play()
        cluster.pass(.seconds(20), in: 20)
        #expect(cluster.running["shared"]?.pid == pid)
        cluster.pass(.seconds(15), in: 15)
        #expect(cluster.running["shared"]?.pid != pid && cluster.registry.writers.isEmpty && cluster.phase("Auth") == .ready)
        #expect(cluster.registry.noteLines.contains { $0.contains("has not let go of Notes") })
        // It answers, and is merely busy: its neighbours leave in order.
        let restarts = cluster.supervisorOrders.filter { $0.lowercased().contains("restart(") }
        #expect(restarts.count == 1 && restarts.allSatisfy { $0.contains("Manner.drain") }, "\(restarts)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `the supervisor expects the end of a host before its last module is told to drain`() {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("One", .domain)), cluster.pack(declaration("Two", .domain))]
        cluster.boot([HostSpec(id: "shared", plugins: plugins)])
        cluster.slow = ["One", "Two"]
        func stops() -> Int { cluster.supervisorOrders.count { $0.hasPrefix("stop") } }
        cluster.ask(.unload(module: "One", yes: false))
        #expect(stops() == 0)
        cluster.ask(.unload(module: "Two", yes: false))
        #expect(stops() == 1)
        cluster.leave("shared", "One")
        cluster.leave("shared", "Two")
        cluster.play()
        #expect(stops() == 1)
        #expect(cluster.registry.hosts["shared"] == nil)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `given a drain that does not end, it is cut at the drain limit`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Notes", .domain)), cluster.host(declaration("Auth", .domain))])
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: false), id: "remove")
        cluster.pass(.seconds(8), in: 16)
        #expect(cluster.answers["remove"]?.first?.lines?.first?.contains("cut") == true)
        #expect(cluster.running["auth"]?.ended["Notes"] == Epoch(rawValue: 1))
        #expect(cluster.running["notes"] == nil)
    }

    @Test func `a crash during the drain ends the removal`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Notes", .domain)), cluster.host(declaration("Auth", .domain))])
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: false), id: "remove")
        cluster.crash("notes", restarts: false)
        #expect(cluster.phase("Notes") == nil)
        #expect(cluster.registry.hosts["notes"] == nil)
        cluster.pass(.milliseconds(600))
        #expect(cluster.answers["remove"]?.first?.lines?.first?.contains("signal 9") == true)
        #expect(cluster.running["auth"]?.ended["Notes"] == Epoch(rawValue: 1))
    }

    @Test func `a module leaves a shared host, the image stays and the neighbours go on`() {
        var cluster = FakeCluster()
        let one = cluster.pack(declaration("One", .domain))
        let two = cluster.pack(declaration("Two", .domain))
        cluster.boot([HostSpec(id: "shared", plugins: [one, two])])
        let pid = cluster.running["shared"]?.pid
        cluster.ask(.unload(module: "One", yes: false))
        #expect(cluster.running["shared"]?.pid == pid)
        #expect(cluster.phase("Two") == .ready)
        #expect(cluster.running["shared"]?.spec.plugins == [two])
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [one]), dryRun: false))
        #expect(cluster.phase("One") == .ready)
        #expect(cluster.registry.modules["One"]?.epoch == Epoch(rawValue: 2))
    }

    @Test func `given A and B both depending on D, D goes only when it is asked for`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("D", .infrastructure)),
            cluster.host(declaration("A", .domain), imports: ["DReluxInt"]),
            cluster.host(declaration("B", .domain), imports: ["DReluxInt"]),
        ])
        cluster.ask(.unload(module: "A", yes: false))
        #expect(cluster.phase("D") == .ready)
        #expect(cluster.ask(.unload(module: "D", yes: false))?.refusal?.message.contains("imported by B") == true)
        cluster.ask(.unload(module: "B", yes: false))
        let removed = cluster.takesOut("D", yes: false)
        #expect(removed != nil)
        #expect(cluster.registry.modules.isEmpty)
        #expect(cluster.registry.hosts.isEmpty)
    }

    @Test func `50 rounds of load and unload give 50 epochs and leave nothing behind`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Notes", .domain))
        cluster.boot([])
        for round in 1...50 {
            cluster.ask(.load(host: spec, dryRun: false))
            #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(rawValue: UInt64(round)))
            #expect(cluster.phase("Notes") == .ready)
            cluster.ask(.unload(module: "Notes", yes: false))
            #expect(cluster.registry.modules.isEmpty)
        }
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `a module in backoff is removed without waiting for its return`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Notes", .domain))])
        cluster.crash("notes", restarts: false)
        let removed = cluster.takesOut("Notes", yes: false)
        #expect(removed != nil)
        #expect(cluster.registry.hosts.isEmpty)
        #expect(cluster.supervisorOrders.last?.hasPrefix("stop") == true)
    }

    @Test func `what is asked of an unknown module names the known ones`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Notes", .domain))])
        for body in [
            ClientRequest.Body.unload(module: "Nots", yes: true), .restart(module: "Nots"), .whyNot(module: "Nots"),
        ] {
            let refusal = cluster.ask(body)?.refusal
            #expect(refusal?.code == "unknown-module")
            #expect(refusal?.message.contains("Notes") == true)
        }
    }

    @Test func `a module that was unloaded is remembered as that until it comes back`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Notes", .domain))
        cluster.boot([spec])
        #expect(cluster.registry.status.unloaded == nil)
        cluster.ask(.unload(module: "Notes", yes: false))
        #expect(cluster.registry.status.unloaded == ["Notes"])
        let refusal = cluster.ask(.whyNot(module: "Notes"))?.refusal
        #expect(refusal?.code == "unknown-module" && refusal?.message == "Notes was unloaded; relux module load Notes brings it back")
        cluster.ask(.load(host: spec, dryRun: false))
        #expect(cluster.registry.status.unloaded == nil)
    }

    @Test func `a temporary host that ends is not missed`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Job", .domain), restart: .temporary)])
        cluster.crash("job", status: "exit 0", restarts: false)
        #expect(cluster.phase("Job") == .stopped)
        cluster.ask(.restart(module: "Job"))
        #expect(cluster.phase("Job") == .ready)
    }
}

extension FakeCluster {
    /// - Returns: what whoever asked for it is told once the losses are counted.
    fileprivate mutating func takesOut(_ module: ModuleID, yes: Bool = true) -> [String]? {
        ask(.unload(module: module, yes: yes), id: "unload \(module)")
        pass(.milliseconds(600))
        return answers["unload \(module)"]?.last?.lines
    }
}
