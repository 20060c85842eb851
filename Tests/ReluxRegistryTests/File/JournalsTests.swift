import ReluxControl
import ReluxJournal
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// How far journals have come is remembered by the registry, and told to whoever opens them.
@Suite struct JournalsTests {
    private static func booted() -> FakeCluster {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        for id in cluster.running.keys.sorted() {
            for module in cluster.running[id]?.modules ?? [] { cluster.isSetUp(module.declaration.id, in: id) }
        }
        return cluster
    }

    @Test func `a module whose journal was opened is remembered with its life, over a broker's death, until its journal is to be removed`() throws {
        var cluster = Self.booted()
        #expect(cluster.registry.journals.lives["Notes"]?.ends.map(\.epoch) == [Epoch(1)])
        cluster.crash("notes")
        // It was started, and has not opened its journal yet.
        #expect(cluster.registry.journals.lives["Notes"]?.ends.map(\.epoch) == [Epoch(1)])
        cluster.isSetUp("Notes", in: "notes")
        cluster.restartBroker()
        #expect(cluster.registry.journals.lives["Notes"]?.ends.map(\.epoch) == [Epoch(1), Epoch(2)])
        cluster.send(.retired("Notes"))
        #expect(cluster.registry.journals.lives["Notes"] != nil)
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.ask(.unload(module: "Notes", yes: true))
        #expect(cluster.phase("Notes") == nil && cluster.registry.journals.lives["Notes"] != nil)
        cluster.send(.retired("Notes"))
        #expect(cluster.persisted?.lives?["Notes"] == nil && cluster.persisted?.lives?["Auth"] != nil)
    }

    @Test func `the late word of an earlier life says nothing of the present one, which may never open the journal`() {
        var cluster = Self.booted()
        cluster.crash("notes")
        cluster.host("notes", says: .stored(module: "Notes", epoch: Epoch(1), []))
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(2) && cluster.registry.journals.lives["Notes"]?.ends.map(\.epoch) == [Epoch(1)])
    }

    @Test func `whoever gets an epoch is told before how far the journal has come`() throws {
        var cluster = Self.booted()
        cluster.heldBack = []
        let process = try #require(cluster.running["notes"])
        var hello = cluster.hello(process, resumed: false)
        hello.instance = "another"
        let actions = cluster.registry.on(.host(process.connection, .hello(hello)), now: cluster.now)
        let orders = actions.compactMap { action -> String? in
            switch action {
            case .toHosts(_, .knownLives(let lives)): "known \(lives.mapValues { $0.ends.map(\.epoch) })"
            case .toHosts(_, .welcome): "welcome"
            default: nil
            }
        }
        #expect(orders == ["known [\(ModuleID("Notes")): [1]]", "welcome"], "\(orders)")
    }

    @Test func `the end of a life counts also when the end of its process is told first`() throws {
        struct End: Codable { var epoch, position, batch: UInt64 }
        var cluster = Self.booted()
        let connection = try #require(cluster.running["notes"]).connection
        cluster.crash("notes")
        let end = try CBOR.decode(JournalEnd.self, from: CBOR.encode(End(epoch: 1, position: Epoch(1).start + 4, batch: 7)))
        let stale = cluster.registry.counters.stale
        cluster.send(.host(connection, .journalEnds(["Notes": end])))
        #expect(cluster.registry.journals.lives["Notes"]?.ends == [end] && cluster.registry.counters.stale == stale)
    }

    @Test func `the end of a life is believed of lives that were given`() throws {
        var cluster = Self.booted()
        cluster.host("notes", says: .journalEnds(["Notes": JournalEnd(opened: Epoch(9))]))
        #expect(cluster.registry.journals.lives["Notes"]?.ends == [JournalEnd(opened: Epoch(1))])
    }
}
