import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// The modules that are known to be absent, as the picture says it.
@Suite struct AbsenceTests {
    private let session: ModuleID = "SessionOrchestration"

    private func booted(without missing: ModuleID? = nil, mute: Set<HostID> = []) -> FakeCluster {
        var cluster = FakeCluster()
        cluster.mute = mute
        cluster.boot(cluster.demo().filter { $0.id.rawValue != missing?.rawValue.lowercased() })
        return cluster
    }

    private func absences(_ cluster: FakeCluster) -> [ModuleID: String] { cluster.registry.picture.absences }

    /// Every host knows what the registry says.
    private func expectKnown(_ cluster: FakeCluster) {
        for (id, process) in cluster.running where !cluster.mute.contains(id) { #expect(process.picture == cluster.registry.picture, "\(id)") }
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `nobody is absent in a cluster that is up, nor while it comes up`() {
        var cluster = FakeCluster()
        for spec in cluster.demo() {
            cluster.boot([spec])
            _ = cluster.registry.picture
        }
        #expect(absences(booted()).isEmpty)
        #expect(absences(booted(mute: ["auth"])).isEmpty, "it starts, and who waits for it is on its way")
    }

    @Test func `an orchestrator that waits for a module which nobody loads is absent until it is loaded`() throws {
        var cluster = booted(without: "Profile")
        #expect(cluster.phase(session) == .waiting)
        #expect(absences(cluster) == [session: "imports ProfileReluxInt, which no module provides; load Profile"])
        #expect(cluster.registry.picture.members.first { $0.module == session }?.host != nil, "its process is there")
        expectKnown(cluster)
        let profile = try #require(cluster.demo().first { $0.id == "profile" })
        cluster.ask(.load(host: profile, dryRun: false))
        #expect(cluster.phase(session) == .ready)
        #expect(absences(cluster).isEmpty)
        expectKnown(cluster)
    }

    @Test func `one that was ready serves on while it waits, and is absent in its next life`() throws {
        var cluster = booted()
        cluster.ask(.unload(module: "Profile", yes: true))
        #expect(cluster.phase(session) == .waiting)
        #expect(absences(cluster).isEmpty)
        cluster.crash("sessionorchestration")
        #expect(cluster.phase(session) == .waiting)
        #expect(absences(cluster).keys.sorted() == [session])
        expectKnown(cluster)
    }

    @Test func `who is quarantined is absent, and so is who waits for it in a life that was never ready`() {
        var cluster = booted()
        cluster.crash("auth", restarts: false)
        #expect(absences(cluster).isEmpty, "it may be started again")
        cluster.supervisor(.quarantined(host: "auth", why: "5 restarts within 60s"))
        #expect(absences(cluster).keys.sorted() == ["Auth"])
        #expect(absences(cluster)["Auth"]?.contains("it is quarantined (5 restarts within 60s)") == true)
        cluster.crash("sessionorchestration")
        #expect(absences(cluster)[session]?.contains("imports AuthReluxInt, and Auth is quarantined") == true)
        expectKnown(cluster)
        cluster.ask(.restart(module: "Auth"))
        #expect(cluster.phase("Auth") == .ready && cluster.phase(session) == .ready)
        #expect(absences(cluster).isEmpty)
        expectKnown(cluster)
    }

    @Test func `who waits within its backoff counts as present, and so does who waits for it`() {
        var cluster = booted()
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.backoff(host: "auth", milliseconds: 30_000, why: "signal 9 (SIGKILL)"))
        cluster.crash("sessionorchestration")
        #expect(cluster.phase("Auth") == .backoff && cluster.phase(session) == .waiting)
        #expect(absences(cluster).isEmpty)
    }

    @Test(arguments: [HostSpec.Restart.transient, .temporary])
    func `whose process has ended and is not started again is absent`(_ restart: HostSpec.Restart) {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain, handles: ["Auth.Business.Effect"]), restart: restart)])
        cluster.crash("auth", status: restart == .transient ? "exit 0" : "signal 9 (SIGKILL)", restarts: false)
        #expect(cluster.phase("Auth") == .stopped)
        #expect(absences(cluster)["Auth"]?.contains("is not started again; relux module restart Auth") == true)
        cluster.ask(.restart(module: "Auth"))
        #expect(absences(cluster).isEmpty)
    }

    @Test func `a user interface that has ended is stopped for good, with the reason that it gave, until a person starts it again`() {
        var cluster = FakeCluster()
        cluster.boot([])
        func hello(_ instance: String) -> HostHello {
            let module = HostHello.Module(declaration: declaration("NotesUI", .userInterface), imports: [], epoch: nil, state: ModuleState(.recovering))
            return HostHello(host: "NotesUI", pid: 9, instance: instance, endpoint: "ipc://x", tapEndpoint: "ipc://y", modules: [module], resumed: false)
        }
        let (first, second) = (ConnectionID(ByteString([9])), ConnectionID(ByteString([10])))
        cluster.send(.host(first, .hello(hello("x"))))
        cluster.send(.host(first, .state(module: "NotesUI", state: ModuleState(.draining, why: "its interface has ended with status 74"))))
        cluster.send(.host(first, .left(module: "NotesUI")))
        cluster.send(.silent(first))
        #expect(cluster.phase("NotesUI") == .stopped && cluster.why("NotesUI") == "its interface has ended with status 74")
        #expect(cluster.registry.whyNot("NotesUI").unmet.contains("host NotesUI has ended and is not started again by itself"))
        #expect(absences(cluster)["NotesUI"]?.hasSuffix("no supervisor of this cluster starts it; start it again, or: relux module unload NotesUI") == true)
        // It comes back, and is killed.
        cluster.send(.host(second, .hello(hello("y"))))
        #expect(cluster.phase("NotesUI") != .stopped && absences(cluster).isEmpty)
        cluster.send(.silent(second))
        #expect(cluster.phase("NotesUI") == .stopped && cluster.why("NotesUI") == "its host's connection fell silent")
    }

    @Test func `a stranger whose process has ended is absent where a supervisor starts the others, and not at once where there is none`() {
        for isSupervised in [true, false] {
            var configuration = RegistryConfiguration()
            configuration.supervised = isSupervised
            var cluster = FakeCluster(configuration)
            if isSupervised { cluster.boot([]) }
            let module = HostHello.Module(
                declaration: declaration("Stranger", .domain, handles: ["Auth.Business.Effect"]), imports: [], epoch: nil, state: ModuleState(.recovering))
            let hello = HostHello(host: "stranger", pid: 9, instance: "x", endpoint: "ipc://x", tapEndpoint: "ipc://y", modules: [module], resumed: false)
            let connection = ConnectionID(ByteString([9]))
            cluster.send(.host(connection, .hello(hello)))
            #expect(absences(cluster).isEmpty)
            cluster.send(.silent(connection))
            #expect(cluster.registry.picture.members.map(\.module) == ["Stranger"])
            #expect(absences(cluster).isEmpty != isSupervised)
            cluster.pass(configuration.startPatience + .seconds(1), in: 4)
            #expect(absences(cluster)["Stranger"]?.contains("its process has ended") == true)
            cluster.send(.host(connection, .hello(hello)))
            #expect(absences(cluster).isEmpty)
        }
    }

    @Test func `a module that is removed is no member any more, and was not absent before`() {
        var cluster = booted()
        cluster.slow = ["Auth"]
        cluster.ask(.unload(module: "Auth", yes: true))
        #expect(cluster.phase("Auth") == .draining)
        #expect(absences(cluster).isEmpty)
    }

    @Test func `when the cluster goes down nobody becomes absent by that`() {
        var cluster = booted(without: "Profile")
        let before = absences(cluster)
        cluster.ask(.shutdown)
        #expect(absences(cluster) == before && before.count == 1)
    }

    @Test func `a new broker takes for absent only what it knows`() {
        var cluster = booted(without: "Profile")
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.quarantined(host: "auth", why: "5 restarts within 60s"))
        #expect(absences(cluster).keys.sorted() == ["Auth", session])
        cluster.restartBroker()
        cluster.send(.tick)
        #expect(absences(cluster).keys.sorted() == ["Auth"], "the orchestrator may have become ready meanwhile")
        cluster.waiting = ["auth": .quarantined(why: "5 restarts within 60s")]
        cluster.boot(cluster.demo())
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        #expect(absences(cluster).keys.sorted() == ["Auth", session])
        expectKnown(cluster)
    }

    @Test func `a client may ask for everyone`() {
        var cluster = booted()
        for everyone in [nil, false, true] as [Bool?] {
            cluster.ask(.emit(topic: "Auth.Business.Effect", payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: "", everyone: everyone), id: "x\(everyone as Any)")
        }
        #expect(cluster.emitted.map { $0.hasSuffix(" everyone") } == [false, false, true])
    }
}
