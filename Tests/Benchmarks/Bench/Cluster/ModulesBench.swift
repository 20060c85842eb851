import Glibc
import Relux
import ReluxControl
import ReluxPlugin
import ReluxZeroMQ

/// Registers many modules with a broker, ten of them in each host, and looks at its memory then. Supervisor and hosts are played.
enum ModulesBench {
    private static let perHost = 10

    /// - Parameter broker: path of `relux-broker`.
    static func run(_ count: Int, _ broker: String) throws {
        let context = try ZeroMQContext()
        let broker = try BenchBroker(broker, in: context)
        var talk = try BrokerTalk(broker.run.path)
        let start = Monotonic.now()
        var hosts: [PlayedHost] = []
        for first in stride(from: 0, to: count, by: perHost) {
            hosts.append(try PlayedHost(first / perHost, modules: first..<min(count, first + perHost), context, broker.run))
        }
        var poller = Poller(capacity: hosts.count)
        for host in hosts { poller.add(host.socket) }
        var ready = 0
        while ready < count {
            guard Monotonic.now() - start < .seconds(300) else { throw BenchError("\(ready) of \(count) modules are ready after 300 s") }
            _ = try poller.wait(milliseconds: 100)
            for host in hosts { ready += try host.obey() }
        }
        let status = try talk.status(when: "status with all modules ready") { $0.modules.count { $0.state.phase == .ready } >= count }
        var line = Line("relux.modules")
        line.add("modules", count)
        line.add("hosts", hosts.count)
        line.add("ready_ms", (Monotonic.now() - start).microseconds / 1000)
        line.add("broker_pss_kib", try HostsBench.proportionalKilobytes(status.brokerPid))
        line.printed()
        try broker.end()
    }

    /// One module of ten is infrastructure, seven are domains that import it, two are orchestrators of the domains.
    static func module(_ index: Int) -> HostHello.Module {
        let base = index / perHost * perHost
        func name(_ index: Int) -> String { (index % perHost == 0 ? "I" : index % perHost < 8 ? "D" : "O") + "\(index)" }
        func topic(_ index: Int) -> Topic { Topic(rawValue: "\(name(index)).Business.Effect") ?? "Bench.Business.Effect" }
        let (kind, handles, emits, imports): (ModuleDeclaration.Kind, [Topic], [Topic], [Int]) =
            switch index % perHost {
            case 0: (.infrastructure, [topic(index)], [], [])
            case 1...7: (.domain, [topic(index)], [topic(base)], [base])
            default: (.orchestrator, [topic(base + 1)], [topic(base + 2), topic(base + 3)], [base + 1, base + 2, base + 3])
            }
        return HostHello.Module(
            declaration: ModuleDeclaration(
                id: ModuleID(rawValue: name(index)) ?? "Bench", version: "1.0.0", kind: kind, handles: handles, emits: emits),
            imports: imports.map { name($0) + "ReluxInt" }, epoch: nil, state: ModuleState(.starting))
    }
}

/// A host's side of the conversation with the broker, without modules behind it.
private final class PlayedHost {
    let socket: ZeroMQSocket

    init(_ number: Int, modules: Range<Int>, _ context: ZeroMQContext, _ run: RunDirectory) throws {
        var options = SocketOptions()
        options.linger = .zero
        socket = try ZeroMQSocket(.dealer, in: context, options: options)
        try socket.connect(run.membersEndpoint)
        let id = HostID(rawValue: "bench-\(number)")
        try say(
            .hello(
                HostHello(
                    host: id, pid: Int32(100_000 + number), instance: "bench", endpoint: run.endpoint(of: id.rawValue),
                    tapEndpoint: run.tapEndpoint(of: id.rawValue), modules: modules.map(ModulesBench.module), resumed: false)))
    }

    private func say(_ message: HostMessage) throws { _ = try socket.send(try CBOR.encode(BrokerInbound.host(message))) }

    /// Does what the broker has ordered; how many modules have become ready by that.
    func obey() throws -> Int {
        var ready = 0
        while let bytes = try socket.receiveBytes() {
            guard case .host(let order) = try CBOR.decode(BrokerOutbound.self, from: bytes) else { continue }
            switch order {
            case .welcome(let epochs, _):
                for module in epochs.keys.sorted() {
                    try say(.state(module: module, state: ModuleState(.recovering)))
                    try say(.state(module: module, state: ModuleState(.waiting, why: "for the order to proceed")))
                }
            case .proceed(let module):
                try say(.state(module: module, state: ModuleState(.ready)))
                ready += 1
            case .ping: try say(.pong(stalled: []))
            case .refuse(let module, let code, let message): throw BenchError("\(module) was refused: \(code): \(message)")
            default: break
            }
        }
        return ready
    }
}
