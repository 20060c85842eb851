import Glibc
import Relux
import ReluxBus
import ReluxPlugin
import ReluxZeroMQ

// A process on the bus for tests and measurements.
//
//   relux-bus-probe serve DIRECTORY          runs Shop in host h1 until its input ends
//   relux-bus-probe ping DIRECTORY COUNT     runs Buyer in host h2, awaits COUNT effects one after the other, prints times
//   relux-bus-probe open FILE                notes open handlers in a table until it is killed

enum Shop {
    enum Business {
        enum Effect: Relux.Effect {
            case buy(item: String, count: Int)
            case note(String)
        }
    }
}

actor Clerk: Relux.Flow {
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        switch effect as? Shop.Business.Effect {
        case .buy(_, let count): return .success(count * 2)
        case .note("fail"): return .failure(Relux.Failure(domain: "shop", code: "closed", message: "the shop is closed"))
        case .note("hang"):
            try? await Task.sleep(for: .seconds(3600))
            return .success
        default: return .success
        }
    }
}

struct ProbeModule: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
}

guard CommandLine.arguments.count >= 3 else {
    StandardError.write("usage: relux-bus-probe serve DIRECTORY | ping DIRECTORY COUNT | open FILE")
    exit(64)
}
if CommandLine.arguments[1] == "open" { try runOpenTable(CommandLine.arguments[2]) }
let isServing = CommandLine.arguments[1] == "serve"
let directory = CommandLine.arguments[2]
let topic = Shop.Business.Effect.wireTopic
let context = try ZeroMQContext()
let host = HostID(rawValue: isServing ? "h1" : "h2")
let id: ModuleID = isServing ? "Shop" : "Buyer"
let transport = try ZeroMQTransport(
    context: context, endpoint: "ipc://\(directory)/\(host).x", tapEndpoint: "ipc://\(directory)/\(host).t")
let endpoint = BusEndpoint(host: host, transport: transport)
let exchange = Relux.Exchange(uplink: endpoint)
let node = Relux.clusterNode(for: id, on: exchange)
try endpoint.start(exchange)
let handles: [Topic] = isServing ? [topic] : []
let emits: [Topic] = isServing ? [] : [topic]
try node.join(
    ProbeModule(moduleID: id, sagas: isServing ? [Clerk()] : []), position: 1 << 40, handles: Set(handles),
    emits: Set(emits), isSerial: false)
endpoint.join(
    ModuleDeclaration(id: id, version: "1.0.0", kind: .domain, handles: handles, emits: emits), epoch: Epoch(1),
    handling: [Shop.Business.Effect.self])
node.openModule()
let hosts = ["h1", "h2"].map { HostID(rawValue: $0) }
endpoint.apply(
    ClusterPicture(
        version: 1,
        members: [
            .init(module: "Shop", epoch: Epoch(1), handles: [topic], emits: [], provides: [], observes: [], host: hosts[0]),
            .init(module: "Buyer", epoch: Epoch(1), handles: [], emits: [topic], provides: [], observes: [], host: hosts[1]),
        ],
        hosts: hosts.map { .init(id: $0, endpoint: "ipc://\(directory)/\($0).x", tapEndpoint: "") }))

if isServing {
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) > 0 {}
} else {
    let count = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 10_000 : 10_000
    let clock = ContinuousClock()
    var times: [Duration] = []
    for n in 0..<count {
        let start = clock.now
        let result = await node.dispatcher.actions { Shop.Business.Effect.buy(item: "tea", count: n) }
        times.append(start.duration(to: clock.now))
        guard result.value(Int.self, from: "Shop") == n * 2 else {
            StandardError.write("effect \(n) came back as \(result)")
            exit(1)
        }
    }
    times.sort()
    for percent in [50, 90, 99] { print("p\(percent)", times[times.count * percent / 100]) }
}
endpoint.stop()
context.terminate()
