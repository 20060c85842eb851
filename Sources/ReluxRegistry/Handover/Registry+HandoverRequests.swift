import ReluxControl
import ReluxPlugin
import ReluxWire

/// Clients' wishes for a module's place or version.
struct HandoverWish: Sendable {
    var module: ModuleID
    var kind: Handover.Kind
    /// The other version, of an upgrade.
    var directory = ""
    /// The other host, of a move; nil for a process of its own.
    var host: HostID?
}

/// A hand-over that may begin, and what there is to say about it.
struct HandoverPlan: Sendable {
    var handover: Handover
    var lines: [String]
}

extension ClientRequest.Body {
    /// Nil for what is no hand-over.
    var handover: (wish: HandoverWish, dryRun: Bool)? {
        switch self {
        case .upgrade(let module, let directory, let dryRun):
            (HandoverWish(module: module, kind: .upgrade, directory: directory), dryRun)
        case .rollback(let module, let dryRun): (HandoverWish(module: module, kind: .rollback), dryRun)
        case .move(let module, let host, let dryRun): (HandoverWish(module: module, kind: .move, host: host), dryRun)
        default: nil
        }
    }
}

extension Registry {
    /// Plans a hand-over and, unless it is a dry run, begins it; the answer comes with its end.
    mutating func handOver(
        _ wish: HandoverWish, _ plugins: [String: PluginFacts], dryRun: Bool, _ connection: ConnectionID, _ request: String
    ) {
        if let outcome = notices.outcomes.last(where: { $0.request == request }) { return answer(connection, request, outcome.body) }
        if let present = handovers[wish.module], present.request == request {
            if boot == .closing { return refuse(connection, request, cutShort(present)) }
            if !present.waiters.contains(connection) { handovers[wish.module]?.waiters.append(connection) }
            return
        }
        do throws(Refusal) {
            guard let directory = try targetDirectory(of: wish) else {
                if let refusal = unserved(wish) { throw refusal }
                return answer(connection, request, .done(lines: [nothingToDo(wish)]))
            }
            let plan = try plan(wish, directory, plugins, request)
            if dryRun { return answer(connection, request, .done(lines: plan.lines)) }
            begin(plan.handover, for: connection)
        } catch {
            refuse(connection, request, error)
        }
    }

    private mutating func begin(_ handover: Handover, for connection: ConnectionID) {
        let (id, to, directory) = (handover.module, handover.to, handover.target.directory)
        handovers[id] = handover
        handovers[id]?.waiters = [connection]
        handovers[id]?.since = clock.now
        partings.remove(id, in: to)
        turn.mustPersist = true
        turn.hasPictureChanged = true
        turn.isUnsettled = true
        guard let host = hosts[to] else {
            let old = hosts[handover.from]?.spec
            hosts[to] = HostRecord(
                spec: HostSpec(
                    id: to, plugins: [directory], environment: old?.environment ?? [:], restart: old?.restart ?? .permanent),
                start: startQueue.next)
            hosts[to]?.answered(clock.now)
            startQueue.renew()
            return
        }
        // An image that was never let go of needs no second load; the host says so with its `hello`.
        if !host.spec.plugins.contains(directory) { hosts[to]?.spec.plugins.append(directory) }
        order(loadOrder(directory), to)
        if supervisor != nil, let spec = startSpec(of: to) {
            orderSupervisor(.update(spec))
        }
    }

    /// The plugin directories whose facts must come with a request for a hand-over.
    func directories(for wish: HandoverWish) -> [String] { (try? targetDirectory(of: wish)).flatMap { $0 }.map { [$0] } ?? [] }

    /// Nil when the module is there already.
    private func targetDirectory(of wish: HandoverWish) throws(Refusal) -> String? {
        guard let record = modules[wish.module] else { throw unknown(wish.module) }
        switch wish.kind {
        case .upgrade: return record.directory == wish.directory ? nil : wish.directory
        case .rollback:
            // A build that was started and has never been ready leads back to the build that served last.
            if let former = record.present.former { return former.directory }
            guard let earlier = served[wish.module]?.before else {
                // A refused module is not handed over.
                let verb = record.state.phase == .refused ? "load" : "upgrade \(wish.module)"
                throw Refusal(
                    .noWayBack,
                    "there is no version of \(wish.module) to go back to: no upgrade of it is remembered. Name one: relux module"
                        + " \(verb) DIRECTORY")
            }
            return earlier.directory
        case .move:
            let isThere = wish.host.map { $0 == record.host } ?? isAlone(wish.module, in: record.host)
            return isThere ? nil : record.present.former?.directory ?? record.directory
        }
    }

    /// The module was started from there already, and does not run: that is no "nothing to do".
    private func unserved(_ wish: HandoverWish) -> Refusal? {
        guard wish.kind != .move, let record = modules[wish.module], let refusal = record.refusal else { return nil }
        return Refusal(
            refusal.rule, "\(wish.module) was started from \(record.directory) already, and is refused: \(refusal.message); when that is mended: relux module restart"
                + " \(wish.module)")
    }

    private func nothingToDo(_ wish: HandoverWish) -> String {
        guard let record = modules[wish.module] else { return "nothing to do" }
        switch wish.kind {
        case .upgrade, .rollback:
            let build = "\(wish.module) \(record.declaration?.version ?? "")"
            return record.present.former == nil
                ? "nothing to do: \(build) is served from \(record.directory) already"
                : "nothing to do: \(build) was started from \(record.directory) already, and is \(record.state.phase.rawValue)"
                    + (record.state.why.isEmpty ? "" : ": \(record.state.why)")
        case .move where wish.host == nil:
            return "nothing to do: \(wish.module) has the process of host \(record.host) to itself already"
        case .move: return "nothing to do: \(wish.module) is in host \(record.host) already"
        }
    }
}
