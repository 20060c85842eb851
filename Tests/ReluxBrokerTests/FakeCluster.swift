import Relux
import ReluxBroker
import ReluxBus
import ReluxPlugin
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
        var modules: [HostHello.Module] = []
        var epochs: [ModuleID: Epoch] = [:]
        var picture: ClusterPicture?
        /// Lives that are over, as the pictures showed it.
        var ended: [ModuleID: Epoch] = [:]
        var orders: [String] = []
    }

    var registry: Registry
    var now: Duration = .zero
    /// What lies in plugin directories, and what the built library says where that differs.
    var manifests: [String: PluginFacts] = [:]
    var libraries: [String: HostHello.Module] = [:]
    var running: [HostID: Process] = [:]
    var facts: [ClusterFact] = []
    var answers: [String: [ClientResponse.Body]] = [:]
    var starts: [HostID] = []
    var supervisorOrders: [String] = []
    var emitted: [String] = []
    var persisted: RegistrySnapshot?
    var complaints: [String] = []

    /// Hosts whose process starts and says nothing; modules that are told to proceed or to drain and do not answer.
    var mute: Set<HostID> = []
    /// Hosts whose hello arrives before the supervisor's word that they were started.
    var hasty: Set<HostID> = []
    var slow: Set<ModuleID> = []
    /// Orders of a hand-over that a host does not answer (`auth handOver`), or refuses (`Auth serve`).
    var heldBack: Set<String> = []
    var refused: Set<String> = []
    /// What the states of a version keep, by directory.
    var stored: [String: [StoredShape]] = [:]
    /// Hosts that the supervisor was told not to start again.
    private var calledOff: Set<HostID> = []
    /// To be started when the process before has ended.
    private var following: [HostID: HostSpec] = [:]
    /// What the supervisor's hello says of hosts that it does not start now.
    var waiting: [HostID: SupervisorHello.Waiting] = [:]
    /// Told to stop while they drain.
    var stopping: Set<HostID> = []
    var supervisorInstance = "supervisor-1"
    private var queue: [Registry.Event] = []
    private var lastPid: Int32 = 100
    private var usedEpochs: [ModuleID: Set<UInt64>] = [:]
    private var lastRequest = 0
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

    mutating func boot(_ hosts: [HostSpec]) {
        var pids: [HostID: Int32] = [:]
        for (id, process) in running { pids[id] = process.pid }
        send(
            .supervisor(
                Self.supervisor,
                .hello(
                    SupervisorHello(
                        pid: 7, instance: supervisorInstance, running: pids, waiting: waiting, declared: hosts)),
                plugins: manifests))
    }

    mutating func send(_ event: Registry.Event) {
        queue.append(event)
        play()
    }

    mutating func supervisor(_ message: SupervisorMessage) { send(.supervisor(Self.supervisor, message, plugins: [:])) }

    mutating func host(_ id: HostID, says message: HostMessage) {
        guard let connection = running[id]?.connection else { return }
        send(.host(connection, message))
    }

    /// The answer to a request, nil while there is none.
    @discardableResult
    mutating func ask(_ body: ClientRequest.Body, id: String? = nil) -> ClientResponse.Body? {
        lastRequest += 1
        let request = id ?? "request-\(lastRequest)"
        send(.client(Self.client, ClientRequest(id: request, body: body), plugins: manifests))
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

    /// The process is killed; the supervisor reports it and, if asked for, starts it again after a delay.
    mutating func crash(_ id: HostID, status: String = "signal 9 (SIGKILL)", restarts: Bool = true) {
        guard let process = running.removeValue(forKey: id) else { return }
        stopping.remove(id)
        supervisor(.exited(host: id, pid: process.pid, status: status, report: "crash/\(id)"))
        guard restarts, !calledOff.contains(id), running[id] == nil else { return }
        supervisor(.backoff(host: id, milliseconds: 100, why: status))
        spawn(process.spec)
        play()
    }

    mutating func play() {
        guard isListening else { return }
        while !queue.isEmpty {
            let event = queue.removeFirst()
            note("\(event)")
            for action in registry.on(event, now: now) { perform(action) }
        }
    }

    /// Everything that waits is given to the registry at once.
    mutating func playInBatches() {
        while !queue.isEmpty {
            let batch = queue
            queue = []
            for action in registry.on(batch, now: now) { perform(action) }
        }
    }

    mutating func enqueue(_ event: Registry.Event) { queue.append(event) }

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
    }

    mutating func resume(_ id: HostID) {
        guard let process = running[id] else { return }
        queue.append(.host(process.connection, .hello(hello(process, resumed: true))))
        play()
    }

    /// The latest events and orders, for the report of a failure; the oldest first.
    private(set) var trace: [String] = []
    var isTraced = false

    private mutating func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        trace.append(String(text().prefix(400)))
        if trace.count > 400 { trace.removeFirst(200) }
    }

    // MARK: Doing what the registry says

    private mutating func perform(_ action: Registry.Action) {
        switch action {
        case .persist(let snapshot): persisted = snapshot
        case .publish(let fact): facts.append(fact)
        case .answer(_, let response): answers[response.id, default: []].append(response.body)
        case .emit(let request, let topic, _, _, _): emitted.append("\(request) \(topic)")
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

    private mutating func supervise(_ order: SupervisorOrder) {
        supervisorOrders.append("\(order)")
        switch order {
        case .start(let spec):
            if running[spec.id] != nil {
                if !stopping.contains(spec.id) { complaints.append("\(spec.id) was started twice") }
                following[spec.id] = spec
                return
            }
            starts.append(spec.id)
            calledOff.remove(spec.id)
            spawn(spec)
        case .update(let spec): running[spec.id]?.spec = spec
        case .stop(let id):
            calledOff.insert(id)
            // A host that still drains ends when it has left.
            stopping.insert(id)
            endIfLeft(id)
        case .kill(let id):
            calledOff.insert(id)
            end(id, "signal 9 (SIGKILL)")
        case .restart(let id, _):
            guard let process = running[id] else { return }
            end(id, "signal 9 (SIGKILL)")
            spawn(process.spec)
        case .drainAndRestart(let id):
            guard let process = running[id] else { return }
            for module in process.modules { leave(id, module.declaration.id) }
            end(id, "exit 0")
            spawn(process.spec)
        case .shutdown: for id in running.keys.sorted().reversed() { end(id, "exit 0") }
        case .introduce, .ping, .inFlight: break
        }
    }

    private mutating func endIfLeft(_ id: HostID) {
        let isSlow = running[id]?.modules.contains { slow.contains($0.declaration.id) } ?? false
        if stopping.contains(id), !isSlow { end(id, "exit 0") }
    }

    private mutating func end(_ id: HostID, _ status: String) {
        stopping.remove(id)
        guard let process = running.removeValue(forKey: id) else { return }
        queue.append(
            .supervisor(
                Self.supervisor, .exited(host: id, pid: process.pid, status: status, report: ""), plugins: [:]))
        if let spec = following.removeValue(forKey: id) { spawn(spec) }
    }

    mutating func spawn(_ spec: HostSpec) {
        lastPid += 1
        let bytes = withUnsafeBytes(of: lastPid) { Array($0) }
        var process = Process(
            spec: spec, pid: lastPid, instance: "instance-\(lastPid)", connection: ConnectionID(ByteString(bytes)))
        process.modules = spec.plugins.compactMap { libraries[$0] }
        running[spec.id] = process
        var words: [Registry.Event] = [.supervisor(Self.supervisor, .started(host: spec.id, pid: lastPid), plugins: [:])]
        if !mute.contains(spec.id) {
            words.append(.host(process.connection, .hello(hello(process, resumed: false))))
        }
        queue += hasty.contains(spec.id) ? words.reversed() : words
    }

    func hello(_ process: Process, resumed: Bool) -> HostHello {
        HostHello(
            host: process.spec.id, pid: process.pid, instance: process.instance, endpoint: "ipc://\(process.pid)",
            tapEndpoint: "ipc://\(process.pid).tap",
            modules: process.modules.map { module in
                var module = module
                module.epoch = process.epochs[module.declaration.id]
                return module
            }, resumed: resumed, pictureVersion: process.picture?.version ?? 0)
    }

    private mutating func obey(_ id: HostID, _ order: HostOrder) {
        guard let process = running[id] else { return }
        switch order {
        case .welcome(let epochs, let picture):
            for (module, epoch) in epochs where process.epochs[module] != epoch { serve(id, module, epoch) }
            see(id, picture)
        case .picture(let picture): see(id, picture)
        case .proceed(let module):
            running[id]?.orders.append("proceed \(module)")
            if !slow.contains(module), process.epochs[module] != nil {
                set(id, module, ModuleState(.ready))
                queue.append(.host(process.connection, .state(module: module, state: ModuleState(.ready))))
            }
        case .drain(let module):
            running[id]?.orders.append("drain \(module)")
            if !slow.contains(module) { leave(id, module) }
        // Nothing is kept here.
        case .journalShares: break
        case .load(let directory):
            running[id]?.orders.append("load \(directory)")
            if let module = libraries[directory] {
                running[id]?.modules.removeAll { $0.declaration.id == module.declaration.id }
                running[id]?.modules.append(module)
            }
            if let process = running[id] {
                queue.append(.host(process.connection, .hello(hello(process, resumed: true))))
            }
        case .refuse(let module, let code, _):
            running[id]?.orders.append("refuse \(module) \(code)")
            running[id]?.modules.removeAll { $0.declaration.id == module }
            running[id]?.epochs[module] = nil
            endIfLeft(id)
        case .resolve(let client, let request, let module, let effect, let resolution):
            running[id]?.orders.append("resolve \(module) \(effect) \(resolution)")
            queue.append(
                .host(
                    process.connection,
                    .resolved(
                        client: client, request: request, module: module, effect: effect,
                        isMarked: !slow.contains(module))))
        case .stop: running[id]?.orders.append("stop")
        case .introduce:
            queue.append(.host(process.connection, .hello(hello(process, resumed: true))))
        case .standby(let module):
            guard heeds("standby", id, module) else { return }
            set(id, module, ModuleState(.standby))
            queue.append(.host(process.connection, .state(module: module, state: ModuleState(.standby))))
        case .handOver(let module, let older):
            let versions = older.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }.joined()
            guard heeds("handOver", id, module, versions) else { return }
            running[id]?.epochs[module] = nil
            set(id, module, ModuleState(.standby))
            queue.append(.host(process.connection, .state(module: module, state: ModuleState(.draining))))
            queue.append(.host(process.connection, .state(module: module, state: ModuleState(.standby))))
        case .serve(let module, let epoch):
            guard heeds("serve", id, module) else { return }
            serve(id, module, epoch)
            set(id, module, ModuleState(.waiting))
            let directory = process.spec.plugins.first { libraries[$0]?.declaration.id == module } ?? ""
            if let shapes = stored[directory] { queue.append(.host(process.connection, .stored(module: module, shapes))) }
            for phase in [ModuleState.Phase.recovering, .waiting] {
                queue.append(.host(process.connection, .state(module: module, state: ModuleState(phase))))
            }
        case .courier: break
        case .ping: break
        }
    }

    /// Whether the host does as it is told; notes the order in any case.
    private mutating func heeds(_ verb: String, _ id: HostID, _ module: ModuleID, _ more: String = "") -> Bool {
        running[id]?.orders.append("\(verb) \(module)\(more)")
        if heldBack.contains("\(id) \(verb)") { return false }
        guard refused.contains("\(id) \(verb)"), let connection = running[id]?.connection else { return true }
        // It has let go of the module; only what could not serve keeps its image.
        running[id]?.epochs[module] = nil
        if verb != "serve" { running[id]?.modules.removeAll { $0.declaration.id == module } }
        queue.append(.host(connection, .refused(module: module, code: "host.module", message: "\(id) cannot \(verb)")))
        return false
    }

    /// One instance begins under an epoch that nobody had before, and no other process has the module's journal open.
    private mutating func serve(_ id: HostID, _ module: ModuleID, _ epoch: Epoch) {
        if usedEpochs[module, default: []].contains(epoch.rawValue) {
            complaints.append("\(module) got the used epoch \(epoch.rawValue)")
        }
        if let highest = usedEpochs[module]?.max(), epoch.rawValue <= highest {
            complaints.append("the epoch of \(module) fell")
        }
        for (other, process) in running where other != id && process.epochs[module] != nil {
            complaints.append("\(module) is served in \(other) and now in \(id)")
        }
        if running[id]?.epochs[module] != nil { complaints.append("\(module) is served in \(id) already") }
        usedEpochs[module, default: []].insert(epoch.rawValue)
        running[id]?.epochs[module] = epoch
        set(id, module, ModuleState(.recovering))
    }

    mutating func leave(_ id: HostID, _ module: ModuleID) {
        guard let process = running[id] else { return }
        running[id]?.modules.removeAll { $0.declaration.id == module }
        running[id]?.epochs[module] = nil
        queue.append(.host(process.connection, .left(module: module)))
        endIfLeft(id)
    }

    private mutating func set(_ id: HostID, _ module: ModuleID, _ state: ModuleState) {
        guard let index = running[id]?.modules.firstIndex(where: { $0.declaration.id == module }) else { return }
        running[id]?.modules[index].state = state
    }

    private mutating func see(_ id: HostID, _ picture: ClusterPicture) {
        if let earlier = running[id]?.picture, earlier.version > picture.version {
            complaints.append("\(id) saw picture \(picture.version) after \(earlier.version)")
        }
        let new = Dictionary(picture.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        for member in running[id]?.picture?.members ?? [] where member.host != nil {
            let present = new[member.module]
            if present?.host == nil || present?.epoch != member.epoch { running[id]?.ended[member.module] = member.epoch }
        }
        running[id]?.picture = picture
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

func name(_ text: String) -> ModuleID {
    let id: ModuleID? = ModuleID(rawValue: text)
    return id ?? "Invalid"
}

func declaration(
    _ id: ModuleID, _ kind: ModuleDeclaration.Kind, version: String = "1.0.0", handles: [Topic] = [],
    emits: [Topic] = [], provides: [Topic] = [], states: [String] = [], flows: [String] = [],
    durabilities: [Topic: Relux.Durability] = [:]
) -> ModuleDeclaration {
    ModuleDeclaration(
        id: id, version: version, kind: kind, handles: handles, emits: emits, provides: provides, states: states,
        flows: flows, durabilities: durabilities)
}

extension ClientResponse.Body {
    var refusal: (code: String, message: String)? {
        if case .refused(let code, let message) = self { (code, message) } else { nil }
    }
    var lines: [String]? {
        if case .done(let lines) = self { lines } else { nil }
    }
}

/// The demo's cluster: two infrastructure modules, three domains, one orchestrator.
extension FakeCluster {
    mutating func demo() -> [HostSpec] {
        [
            host(
                declaration("SessionOrchestration", .orchestrator, handles: ["Auth.Business.Effect"]),
                imports: ["AuthReluxInt", "AuthModels", "ProfileReluxInt"]),
            host(
                declaration(
                    "Auth", .domain, handles: ["Auth.Business.Effect"], emits: ["Auth.Business.Effect"],
                    provides: ["Auth.Business.Snapshot"], states: ["Auth.Business.State"]),
                imports: ["AuthModels", "AuthReluxInt", "AuthServiceImpl", "NavigationReluxInt", "Relux"]),
            host(
                declaration("Profile", .domain, handles: ["Profile.Business.Effect"]),
                imports: ["ErrorHandlingReluxInt"]),
            host(declaration("Notes", .domain)),
            host(declaration("Navigation", .infrastructure), imports: ["ErrorHandlingReluxInt"]),
            host(declaration("ErrorHandling", .infrastructure)),
        ]
    }
}
