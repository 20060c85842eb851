import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire

/// Host processes, which do what they are told and answer, unless the test holds them back.
extension FakeCluster {
    mutating func resume(_ id: HostID) {
        guard let process = running[id] else { return }
        queue.append(.host(process.connection, .hello(hello(process, resumed: true))))
        play()
    }

    func hello(_ process: Process, resumed: Bool) -> HostHello {
        HostHello(
            host: process.spec.id, pid: process.pid, start: process.start.map { _ in number(of: process.pid, in: process.spec.id) },
            instance: process.instance, endpoint: "ipc://\(process.pid)",
            tapEndpoint: "ipc://\(process.pid).tap",
            modules: process.modules.map { module in
                var module = module
                module.epoch = process.epochs[module.declaration.id]
                return module
            }, resumed: resumed, pictureVersion: process.picture?.version ?? 0)
    }

    mutating func obey(_ id: HostID, _ order: HostOrder) {
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
        case .journalShares, .knownLives: break
        case .load(let directory, _):
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
        case .refusalNoted(let module): running[id]?.orders.append("noted \(module)")
        case .resolve(let client, let request, let module, let effect, let resolution):
            running[id]?.orders.append("resolve \(module) \(effect) \(resolution)")
            queue.append(
                .host(
                    process.connection,
                    .resolved(
                        client: client, request: request, module: module, effect: effect,
                        isMarked: !slow.contains(module))))
        case .schedule(let client, let request, let module, let order):
            running[id]?.orders.append("\(order.deed) \(module) \(order.schedule)")
            let outcome = slow.contains(module) ? ScheduleOrder.Outcome.unknown("\(module) has none") : .done("\(order.deed) \(order.schedule)")
            queue.append(.host(process.connection, .scheduled(client: client, request: request, module: module, outcome)))
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
            if let shapes = stored[directory] { queue.append(.host(process.connection, .stored(module: module, epoch: epoch, shapes))) }
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
        if running[id]?.epochs[module] != nil, !outdated.contains(id) { complaints.append("\(module) is served in \(id) already") }
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
}
