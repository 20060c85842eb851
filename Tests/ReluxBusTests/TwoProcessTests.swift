import Glibc
import Relux
import ReluxBus
import ReluxPlugin
import ReluxZeroMQ
import Testing

enum Shop {
    enum Business {
        enum Effect: Relux.Effect, Equatable {
            case buy(item: String, count: Int)
            case note(String)
        }
    }
}

actor Clerk: Relux.Flow {
    var seen: [Shop.Business.Effect] = []
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let effect = effect as? Shop.Business.Effect else { return .success }
        seen.append(effect)
        if case .buy(_, let count) = effect { return .success(count * 2) }
        return .success
    }
}

struct ShopModule: Relux.Module {
    var moduleID: ModuleID { "Shop" }
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = [Clerk()]
}

struct BuyerModule: Relux.Module {
    var moduleID: ModuleID { "Buyer" }
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = []
}

@Suite struct TwoProcessTests {
    @Test func `an effect crosses two endpoints and its result comes back`() async throws {
        let directory = "/tmp/relux-bus-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        mkdir(directory, 0o700)
        let context = try ZeroMQContext()
        func make(_ host: String, _ id: ModuleID, handles: [Topic], emits: [Topic], _ module: any Relux.Module) throws -> (Relux, BusEndpoint) {
            let transport = try ZeroMQTransport(
                context: context, endpoint: "ipc://\(directory)/\(host).x", tapEndpoint: "ipc://\(directory)/\(host).t")
            let endpoint = BusEndpoint(host: HostID(rawValue: host), transport: transport)
            let exchange = Relux.Exchange(uplink: endpoint)
            let node = Relux.clusterNode(for: id, on: exchange)
            try endpoint.start(exchange)
            try node.join(module, position: 1 << 40, handles: Set(handles), emits: Set(emits), isSerial: false)
            endpoint.join(
                ModuleDeclaration(id: id, version: "1.0.0", kind: .domain, handles: handles, emits: emits),
                epoch: Epoch(1), handling: [Shop.Business.Effect.self])
            node.openModule()
            return (node, endpoint)
        }
        let topic = Shop.Business.Effect.wireTopic
        let (_shop, shopEnd) = try make("h1", "Shop", handles: [topic], emits: [], ShopModule())
        let (buyer, buyerEnd) = try make("h2", "Buyer", handles: [], emits: [topic], BuyerModule())
        let picture = ClusterPicture(
            version: 1,
            members: [
                .init(module: "Shop", epoch: Epoch(1), handles: [topic], emits: [], provides: [], observes: [], host: HostID(rawValue: "h1")),
                .init(module: "Buyer", epoch: Epoch(1), handles: [], emits: [topic], provides: [], observes: [], host: HostID(rawValue: "h2")),
            ],
            hosts: [
                .init(id: HostID(rawValue: "h1"), endpoint: "ipc://\(directory)/h1.x", tapEndpoint: ""),
                .init(id: HostID(rawValue: "h2"), endpoint: "ipc://\(directory)/h2.x", tapEndpoint: ""),
            ])
        shopEnd.apply(picture)
        buyerEnd.apply(picture)
        for n in 0..<1000 {
            let result = await buyer.dispatcher.actions { Shop.Business.Effect.buy(item: "tea", count: n) }
            #expect(result.value(Int.self, from: "Shop") == n * 2)
        }
        let clock = ContinuousClock()
        let start = clock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { for n in 0..<100 { await buyer.dispatcher.actions { Shop.Business.Effect.buy(item: "tea", count: n) } } }
            }
        }
        #expect(buyerEnd.isJoined && shopEnd.isJoined && buyerEnd.isHeard)
        print("5000 awaited in", start.duration(to: clock.now), buyerEnd.counters, shopEnd.counters)
        _ = _shop
        shopEnd.stop()
        buyerEnd.stop()
        context.terminate()
    }
}
