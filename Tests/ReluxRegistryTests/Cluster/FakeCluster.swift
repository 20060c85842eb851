import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire

/// A registry with a supervisor and host processes of the test around it, all in one thread and on a virtual clock.
///
/// Whatever the registry orders is done at once and answered, unless the test holds it back.
struct FakeCluster {
    struct Process {
        var spec: HostSpec
        var pid: Int32
        var instance: String
        var connection: ConnectionID
        /// Nil for a process that somebody else starts.
        var start: StartNumber?
        var modules: [HostHello.Module] = []
        var epochs: [ModuleID: Epoch] = [:]
        var picture: ClusterPicture?
        /// Lives that are over, as the pictures showed it.
        var ended: [ModuleID: Epoch] = [:]
        var orders: [String] = []
    }

    var registry: Registry
    var now: Duration = .zero
    /// The time for which the broker has stood still.
    var missed: Duration = .zero
    /// The manifests in plugin directories, and what the built library says where that differs.
    var manifests: [String: PluginFacts] = [:]
    var libraries: [String: HostHello.Module] = [:]
    var running: [HostID: Process] = [:]
    var facts: [ClusterFact] = []
    var answers: [String: [ClientResponse.Body]] = [:]
    var starts: [HostID] = []
    /// The modules that each host was told of, with their kinds.
    var kinds: [HostID: [String: ModuleDeclaration.Kind]] = [:]
    var supervisorOrders: [String] = []
    var emitted: [String] = []
    var refusedAtIngress: [Relux.RefusedDispatch] = []
    var persisted: RegistrySnapshot?
    /// There is no room for it, and what was ordered since waits.
    var isFull = false
    var gate = OrderGate()
    var complaints: [String] = []

    /// Hosts whose process starts and says nothing; modules that are told to proceed or to drain and do not answer.
    var mute: Set<HostID> = []
    /// Hosts whose hello arrives before the supervisor's word that they were started.
    var hasty: Set<HostID> = []
    var slow: Set<ModuleID> = []
    /// Orders of a hand-over that a host does not answer (`auth handOver`), or refuses (`Auth serve`).
    var heldBack: Set<String> = []
    var refused: Set<String> = []
    /// The shapes that the states of a version keep, by directory.
    var stored: [String: [StoredShape]] = [:]
    /// Hosts that the supervisor was told not to start again.
    var calledOff: Set<HostID> = []
    /// To be started when the process before has ended.
    var following: [HostID: HostSpec] = [:]
    /// The next steps that the supervisor's hello names for hosts that it does not start now.
    var waiting: [HostID: ProcessEnd.Next] = [:]
    /// Told to stop while they drain.
    var stopping: Set<HostID> = []
    var supervisorInstance = "supervisor-1"
    private var bootedBy = ""
    /// The specs by which hosts that do not run now are to be started.
    var updated: [HostID: HostSpec] = [:]
    /// In what the file of the latest start differed from the registry.
    var said: [String] = []
    var queue: [Registry.Event] = []
    var lastPid: Int32 = 100
    var usedEpochs: [ModuleID: Set<UInt64>] = [:]
    private var lastRequest = 0
    /// The latest order that the supervisor has followed, by host and of all; and the numbers of the processes that it has started.
    var orders: [HostID: UInt64] = [:]
    var latestOrder: UInt64 = 0
    var numbers: [Int32: StartNumber] = [:]
    /// Hosts that serve under the order of an attempt that is over: another order ends that.
    var outdated: Set<HostID> = []
    /// From here on the broker dies when it is about to write the registry: what it would do then is not done.
    var isForgetful = false
    /// False while the test plays "the broker is away".
    var isListening = true

    static let supervisor = ConnectionID(ByteString([1]))
    static let client = ConnectionID(ByteString([2]))

    init(_ configuration: RegistryConfiguration = RegistryConfiguration()) {
        registry = Registry(configuration: configuration)
    }

    // MARK: Plugins

    /// Packs a plugin and returns its directory.
    @discardableResult
    mutating func pack(_ declaration: ModuleDeclaration, imports: [String] = [], contract: [UInt8] = []) -> String {
        let directory = "plugins/\(declaration.id)/\(declaration.version)-abc"
        manifests[directory] = .manifest(declaration, imports: imports, contract: ByteString(contract))
        libraries[directory] = HostHello.Module(
            declaration: declaration, imports: imports, epoch: nil, state: ModuleState(.recovering))
        return directory
    }

    /// A host of one module, named like it.
    mutating func host(_ declaration: ModuleDeclaration, imports: [String] = [], restart: HostSpec.Restart = .permanent)
        -> HostSpec
    {
        HostSpec(
            id: HostID(rawValue: declaration.id.rawValue.lowercased()), plugins: [pack(declaration, imports: imports)],
            restart: restart)
    }

    // MARK: Play

    mutating func boot(_ hosts: [HostSpec], _ start: SupervisorHello.Start? = nil) {
        let processes = processes
        var waits: [HostID: SupervisorHello.Waiting] = [:]
        for (id, next) in waiting { waits[id] = .init(first: StartNumber(order: orders[id] ?? 0, attempt: UInt64(lastPid) + 1), next: next) }
        if supervisorInstance != bootedBy { latestOrder = 0 }
        bootedBy = supervisorInstance
        send(
            .supervisor(
                Self.supervisor,
                .hello(
                    SupervisorHello(
                        pid: 7, instance: supervisorInstance, running: processes, waiting: waits, order: latestOrder, declared: hosts, start: start)),
                plugins: manifests))
    }

    mutating func send(_ event: Registry.Event) {
        enqueue(event)
        play()
    }

    mutating func supervisor(_ message: SupervisorMessage) { send(.supervisor(Self.supervisor, message, plugins: [:])) }

    /// The processes that the supervisor's hello names.
    var processes: [HostID: HostProcess] {
        running.filter { $0.value.start != nil }.mapValues { HostProcess(start: number(of: $0.pid, in: $0.spec.id), pid: $0.pid) }
    }

    /// A process of the host: of a later life the greater its pid is.
    func number(of pid: Int32, in host: HostID) -> StartNumber { numbers[pid] ?? StartNumber(order: orders[host] ?? 0, attempt: UInt64(pid)) }

    /// Words of tests name processes by their pid, and decisions without the order that they follow.
    func numbered(_ event: Registry.Event) -> Registry.Event {
        guard case .supervisor(let connection, let message, let plugins) = event else { return event }
        let words: SupervisorMessage
        switch message {
        case .started(let host, let process): words = .started(host: host, .init(start: number(of: process.pid, in: host), pid: process.pid))
        case .exited(let host, let process, var end):
            if end.order == 0 { end.order = orders[host] ?? 0 }
            words = .exited(host: host, .init(start: number(of: process.pid, in: host), pid: process.pid), end)
        case .decided(let host, let next, _): words = .decided(host: host, next, order: orders[host] ?? 0)
        default: words = message
        }
        return .supervisor(connection, words, plugins: plugins)
    }

    mutating func host(_ id: HostID, says message: HostMessage) {
        guard let connection = running[id]?.connection else { return }
        send(.host(connection, message))
    }

    /// The host's life of the module has opened its journal, and says what its states keep.
    mutating func isSetUp(_ module: ModuleID, in host: HostID, _ shapes: [StoredShape] = []) {
        self.host(host, says: .stored(module: module, epoch: running[host]?.epochs[module], shapes))
    }

    /// The answer to a request, nil while there is none.
    @discardableResult
    mutating func ask(_ body: ClientRequest.Body, id: String? = nil, waits: Bool? = nil) -> ClientResponse.Body? {
        lastRequest += 1
        let request = id ?? "request-\(lastRequest)"
        send(.client(Self.client, ClientRequest(id: request, body: body, waits: waits), plugins: manifests))
        return answers[request]?.last
    }

    mutating func pass(_ time: Duration, in steps: Int = 1) {
        for _ in 0..<steps {
            now += time / steps
            for id in running.keys.sorted() where !mute.contains(id) { queue.append(pong(id)) }
            send(.tick)
        }
    }

    private func pong(_ id: HostID) -> Registry.Event {
        .host(running[id]?.connection ?? Self.client, .pong(stalled: []))
    }

    mutating func play() {
        guard isListening else { return }
        while !queue.isEmpty {
            let event = queue.removeFirst()
            note("\(event)")
            let ordered = registry.on(CollectionOfOne(event), now: now, time: now + missed)
            if isForgetful {
                for action in ordered.prefix(while: { if case .persist = $0 { false } else { true } }) { perform(action) }
            } else {
                for action in pass(ordered) { perform(action) }
            }
        }
    }

    /// Everything that waits is given to the registry at once.
    mutating func playInBatches() {
        while !queue.isEmpty {
            let batch = queue
            queue = []
            for action in pass(registry.on(batch, now: now, time: now + missed)) { perform(action) }
        }
    }

    mutating func enqueue(_ event: Registry.Event) { queue.append(numbered(event)) }

    // MARK: The broker goes and comes

    mutating func restartBroker() {
        // Through the bytes of the file: what is not coded does not survive.
        guard let bytes = try? CBOR.encode(persisted),
            let persisted = try? CBOR.decode(RegistrySnapshot.self, from: bytes)
        else {
            complaints.append("the snapshot does not survive its coding")
            return
        }
        registry = Registry(
            configuration: registry.configuration, restoring: persisted, plugins: manifests, now: now)
        queue = []
        isForgetful = false
        gate = OrderGate()
    }

    /// The latest events and orders, for the report of a failure; the oldest first.
    private(set) var trace: [String] = []
    var isTraced = false

    mutating func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        trace.append(String(text().prefix(400)))
        if trace.count > 400 { trace.removeFirst(200) }
    }

    // MARK: Doing what the registry says

    private mutating func perform(_ action: Registry.Action) {
        switch action {
        case .persist: break
        case .publish(let fact): facts.append(fact)
        case .refused(let refused): refusedAtIngress.append(refused)
        case .answer(_, let response): answers[response.id, default: []].append(response.body)
        case .emit(let request, let topic, _, _, _, _, let awaiting):
            emitted.append("\(request) \(topic)\(awaiting == .everyone ? " everyone" : "")")
        case .toSupervisor(_, let order):
            note("  supervisor: \(order)")
            supervise(order)
        case .toHosts(let connections, let order):
            for connection in connections {
                guard let id = running.first(where: { $0.value.connection == connection })?.key else { continue }
                if case .picture = order {} else { note("  \(id): \(order)") }
                obey(id, order)
            }
        }
    }

    // MARK: Looking

    func phase(_ id: ModuleID) -> ModuleState.Phase? { registry.modules[id]?.state.phase }
    func why(_ id: ModuleID) -> String { registry.modules[id]?.state.why ?? "" }

    /// Modules in the order in which they became ready.
    var readyOrder: [ModuleID] {
        facts.compactMap { fact in
            if case .moduleReady(let module, _, _) = fact { module } else { nil }
        }
    }

    var isOpen: Bool { registry.boot == .open }
}
