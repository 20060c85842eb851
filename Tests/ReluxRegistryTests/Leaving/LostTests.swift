import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// Losses are known from the publishers' journals, and from nothing else.
@Suite struct LostTests {
    private static func booted() -> (FakeCluster, [HostSpec]) {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        return (cluster, specs)
    }

    private static func book(_ epoch: UInt64, _ lost: [ModuleID: UInt64], others: UInt64 = 0) -> LostBook {
        LostBook(epoch: Epoch(epoch), lost, others: others)
    }

    private static func lost(_ cluster: FakeCluster, _ module: ModuleID) -> UInt64? {
        cluster.registry.status.modules.first { $0.id == module }?.counters.lost
    }

    @Test func `what was lost with a module is the sum of its publishers' books, however often they are told`() {
        var (cluster, specs) = Self.booted()
        cluster.host("notes", tells: ["Notes": Self.book(1, ["Auth": 3])])
        cluster.host("profile", tells: ["Profile": Self.book(1, ["Auth": 2, "Notes": 1])])
        cluster.send(.ownNews(.bus(FakeCluster.totals(["Cluster": Self.book(1, ["Auth": 4])]))))
        #expect(Self.lost(cluster, "Auth") == 9 && Self.lost(cluster, "Notes") == 1)
        cluster.host("notes", tells: ["Notes": Self.book(1, ["Auth": 3])])
        #expect(Self.lost(cluster, "Auth") == 9)

        // The next life of a host has read it in the journal.
        cluster.crash("notes")
        #expect(Self.lost(cluster, "Auth") == 9)
        cluster.host("notes", tells: ["Notes": Self.book(2, ["Auth": 3])])
        #expect(Self.lost(cluster, "Auth") == 9)

        // So has the next broker, of its own; from whoever says hello it hears the rest.
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(Self.lost(cluster, "Auth") == 9)
        cluster.host("notes", tells: ["Notes": Self.book(2, ["Auth": 3])])
        cluster.host("profile", tells: ["Profile": Self.book(1, ["Auth": 2, "Notes": 1])])
        cluster.send(.ownNews(.bus(FakeCluster.totals(["Cluster": Self.book(2, ["Auth": 5])]))))
        #expect(Self.lost(cluster, "Auth") == 10 && Self.lost(cluster, "Notes") == 1)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `the latest life has the word, also when its journal began anew, and no life that was never given`() {
        var (cluster, _) = Self.booted()
        cluster.host("notes", tells: ["Notes": Self.book(1, ["Auth": 3])])
        cluster.host("auth", tells: ["Notes": Self.book(7, ["Auth": 70]), "Nobody": Self.book(1, ["Auth": 700])])
        #expect(Self.lost(cluster, "Auth") == 3)
        cluster.crash("notes")
        cluster.host("notes", tells: ["Notes": Self.book(2, [:])])
        #expect(Self.lost(cluster, "Auth") == 0)
        // A process that it has left says what it knows of it.
        cluster.host("auth", tells: ["Notes": Self.book(1, ["Auth": 3])])
        #expect(Self.lost(cluster, "Auth") == 0)
    }

    @Test func `the losses of a removed publisher stay as it told them last, and are its own when it is back`() throws {
        var (cluster, specs) = Self.booted()
        let notes = try #require(specs.first { $0.id == "notes" })
        cluster.host("notes", tells: ["Notes": Self.book(1, ["Auth": 3])])
        cluster.ask(.unload(module: "Notes", yes: true))
        #expect(cluster.phase("Notes") == nil && Self.lost(cluster, "Auth") == 3)
        cluster.ask(.load(host: notes, dryRun: false))
        #expect(cluster.phase("Notes") == .ready)
        cluster.host("notes", tells: ["Notes": Self.book(2, ["Auth": 4])])
        #expect(Self.lost(cluster, "Auth") == 4)
    }

    @Test func `what was lost with who is no member is named, and what no name has is told in one`() {
        var (cluster, _) = Self.booted()
        cluster.host("notes", tells: ["Notes": Self.book(1, ["Gone": 3, "Left": 1], others: 5)])
        cluster.host("profile", tells: ["Profile": Self.book(1, ["Gone": 2])])
        let notes = cluster.registry.noteLines.filter { $0.contains("lost with") }
        #expect(
            notes == [
                "5 effects were lost with Gone, which is no member any more", "1 effect was lost with Left, which is no member any more",
                "5 effects were lost with further modules",
            ])
    }
}

extension FakeCluster {
    static func totals(_ lost: [ModuleID: LostBook]) -> BusCounters {
        var counters = BusCounters()
        counters.lost = lost
        return counters
    }

    mutating func host(_ id: HostID, tells lost: [ModuleID: LostBook]) { host(id, says: .bus(Self.totals(lost))) }
}
