import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxZeroMQ

/// One module on a real bus, as a host has it, without a broker: both processes know the picture beforehand.
struct BusNode {
    static let sink: ModuleID = "Sink"
    static let source: ModuleID = "Source"
    /// Recipients of one effect, at most.
    static let sinks: [ModuleID] = [sink, "SinkTwo", "SinkThree"]

    let node: Relux
    let endpoint: BusEndpoint
    private let context: ZeroMQContext?
    private let journals: ModuleJournals?

    /// - Parameters:
    ///   - directory: an existing directory for the sockets.
    ///   - journals: where the module's journal is opened, in `<directory>/<module>`; nil for a bus that forgets.
    ///   - queuedFrameLimit: frames that wait for a subscriber; nil for libzmq's default.
    ///   - sinkCount: recipients of each effect, each a process of its own.
    ///   - carrier: instead of sockets.
    init(
        _ id: ModuleID, in directory: String, flow: (any Relux.Saga)?, journals: ModuleJournals? = nil, queuedFrameLimit: Int? = nil,
        sinkCount: Int = 1, carrier: (any BusTransport)? = nil, clock: Relux.NodeClock = .continuous
    ) throws {
        self.journals = journals
        let picture = Self.picture(in: directory, sinks: Self.sinks.prefix(sinkCount))
        guard let member = picture.members.first(where: { $0.module == id }), let host = member.host,
            let place = picture.hosts.first(where: { $0.id == host })
        else { throw BenchError("no module \(id)") }
        let transport: any BusTransport
        if let carrier {
            (transport, context) = (carrier, nil)
        } else {
            let context = try ZeroMQContext()
            transport = try ZeroMQTransport(
                context: context, endpoint: place.endpoint, tapEndpoint: place.tapEndpoint, queuedFrameLimit: queuedFrameLimit)
            self.context = context
        }
        let ledger = try journals?.open(id, at: "\(directory)/\(id)", epoch: member.epoch).ledger
        endpoint = BusEndpoint(host: host, transport: transport, clock: clock, journal: journals)
        let exchange = Relux.Exchange(clock: clock, uplink: endpoint)
        node = Relux.clusterNode(for: id, on: exchange)
        try endpoint.start(exchange)
        try node.join(
            BenchModule(moduleID: id, sagas: flow.map { [$0] } ?? []), position: 1 << 40, handles: Set(member.handles),
            emits: Set(member.emits), isSerial: false)
        endpoint.join(
            ModuleDeclaration(id: id, version: "1.0.0", kind: .domain, handles: member.handles, emits: member.emits),
            epoch: member.epoch, handling: [Bench.Business.Effect.self], ledger: ledger)
        node.openModule()
        endpoint.apply(picture)
    }

    private static func picture(in directory: String, sinks: ArraySlice<ModuleID>) -> ClusterPicture {
        let topic = Bench.Business.Effect.wireTopic
        func member(_ id: ModuleID, handles: [Topic], emits: [Topic]) -> ClusterPicture.Member {
            .init(
                module: id, epoch: Epoch(1), handles: handles, emits: emits, provides: [], observes: [],
                host: HostID(rawValue: id.rawValue))
        }
        func host(_ id: ModuleID) -> ClusterPicture.Host {
            .init(
                id: HostID(rawValue: id.rawValue), endpoint: "ipc://\(directory)/\(id).ipc",
                tapEndpoint: "ipc://\(directory)/\(id).tap")
        }
        return ClusterPicture(
            version: 1, members: sinks.map { member($0, handles: [topic], emits: [topic]) } + [member(source, handles: [], emits: [topic])],
            hosts: sinks.map(host) + [host(source)])
    }

    /// Returns when both sides have heard each other's marker.
    func joined() throws {
        for _ in 0..<10_000 {
            if endpoint.isJoined && endpoint.isHeard { return }
            usleep(1000)
        }
        throw BenchError("no peer answered within 10 s: \(endpoint.unansweredHosts.map(\.rawValue))")
    }

    func stop() {
        endpoint.stop()
        journals?.closeAll()
        context?.terminate()
    }
}

extension ModuleJournals {
    /// Real files.
    static func live() throws -> ModuleJournals { ModuleJournals(environment: try .live(), options: .serving) }
}
