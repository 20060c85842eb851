import Relux
package import ReluxControl
import ReluxPlugin
package import ReluxWire

/// The cluster as people see it.
extension Registry {
    package var status: ClusterStatus {
        let lost = losses.byRecipient
        let list = modules.values.sorted { ($0.kind.rank, $0.order) < ($1.kind.rank, $1.order) }.map { record in
            let host = hosts[record.host]
            var counters = record.present.counters
            counters.lost = lost[record.id] ?? 0
            var module = ClusterStatus.Module(
                id: record.id, version: record.declaration?.version ?? "", kind: record.kind.rawValue,
                state: shown(record), host: record.host, pid: host?.pid ?? 0, epoch: record.epoch,
                restarts: host?.restarts ?? 0, counters: counters,
                handles: record.declaration?.handles ?? [], emits: record.declaration?.emits ?? [],
                imports: record.imports, directory: record.directory, readyMilliseconds: record.present.readyMilliseconds,
                handover: handovers[record.id]?.summary)
            module.build = ambiguousBuild(of: record)
            return module
        }
        var status = ClusterStatus(
            brokerPid: configuration.brokerPid, supervisorPid: supervisor?.pid ?? 0, phase: boot,
            picture: picture, modules: list, notes: notes, barriers: barriers, refusedAtIngress: notices.own.refused)
        let unloaded = served.keys.filter(isUnloaded).sorted()
        status.unloaded = unloaded.isEmpty ? nil : unloaded
        status.brokerDeaths = supervisor?.brokerDeaths ?? 0
        return status
    }

    /// Whether it is no member any more and can come back as what it was.
    func isUnloaded(_ id: ModuleID) -> Bool { modules[id] == nil && handovers[id] == nil && served[id] != nil }

    /// The number of handlers that keep a thread, remembered of one host.
    static let blockedLimit = 16

    /// The state, with what is wrong although it is ready.
    private func shown(_ record: ModuleRecord) -> ModuleState {
        guard record.state.phase == .ready, record.state.why.isEmpty, let blocked = blocked(record) else { return record.state }
        return ModuleState(.ready, why: blocked.text)
    }

    private func blocked(_ record: ModuleRecord) -> BlockedHandler? { hosts[record.host]?.blocked.first { $0.module == record.id } }

    /// Every unmet requirement of a module, a line each, none when it is ready; and what is odd about it.
    package func whyNot(_ id: ModuleID) -> (unmet: [String], notes: [String]) {
        guard let record = modules[id] else { return ([unknown(id).message], []) }
        var (lines, notes): ([String], [String]) = ([], [])
        let state = record.state
        switch state.phase {
        case .ready: break
        case .refused:
            lines.append("refused: \(record.refusal?.named ?? state.why)")
        default:
            lines.append("it is \(state.phase.rawValue)" + (state.why.isEmpty ? "" : ": \(state.why)"))
        }
        if state.phase != .ready && state.phase != .refused {
            lines += hostReasons(record)
            lines += unmet(of: id, all: true).map(\.why).filter { $0 != state.why }
            lines += notices.own.disk.map { "the broker waits for the disk: \($0.text)" }
            if record.isLive, !record.present.instance.hostWhy.isEmpty, record.present.instance.hostWhy != state.why { lines.append(record.present.instance.hostWhy) }
        }
        let barrier = barrierReasons(record)
        lines += barrier.unmet
        notes += barrier.notes
        if index.absences[id] != nil { notes.append("what it is sent is kept for it, and nobody waits for it") }
        if let handover = handovers[id] { notes.append("it is being handed over: \(handover.summary)") }
        if let since = record.present.instance.stalledSince {
            lines.append("its executor has answered no ping for \((clock.now - since).wholeMilliseconds) ms")
        }
        if let blocked = blocked(record) { notes.append(blocked.text) }
        if let declaration = record.declaration {
            let (handled, emitted) = topics()
            notes += topicNotes(declaration, handled: handled, emitted: emitted)
        }
        return (lines, notes)
    }

    private func hostReasons(_ record: ModuleRecord) -> [String] {
        guard let host = hosts[record.host] else { return ["its host \(record.host) is unknown"] }
        switch host.process {
        case .idle:
            if supervisor == nil { return ["host \(host.id) is not started: no supervisor is connected"] }
            return ["host \(host.id) is not started yet"]
        case .ordered: return ["host \(host.id) was told to start and has not said hello yet"]
        case .backoff: return ["host \(host.id) starts again after a delay"]
        case .quarantined: return ["host \(host.id) is quarantined; after a look at its log: relux module restart \(record.id)"]
        case .stopping: return ["host \(host.id) is being stopped"]
        case .ended: return ["host \(host.id) has ended and is not started again by itself"]
        case .running:
            if host.connection == nil { return ["host \(host.id) has not come back to this broker yet"] }
            return record.isLive ? [] : ["host \(host.id) has not loaded it yet"]
        }
    }

    // MARK: Notes

    /// Lines on everything that is allowed but looks wrong, or did not fit.
    package var notes: [ClusterNote] {
        let (handled, emitted) = topics()
        let hosts = hosts.sorted { $0.key < $1.key }
        let live = hosts.filter(\.value.isLive)
        func notes(_ lines: [String], _ kind: ClusterNote.Kind = .other) -> [ClusterNote] { lines.map { ClusterNote(kind, $0) } }
        var all = notes(
            modules.values.filter(\.isMember).sorted { $0.id < $1.id }.compactMap(\.declaration).flatMap {
                topicNotes($0, handled: handled, emitted: emitted)
            })
        all += notes(losses.lines(limit: Self.namesKept) { modules[$0] != nil }) + notices.remarks + notes(notices.rejections.map { "refused: \($0)" })
        all += notes(hosts.filter { !$0.value.bus.troubles.isEmpty }.map { "host \($0): \($1.bus.troubles.joined(separator: ", "))" })
        all += (hosts.flatMap(\.value.bus.forgotten) + notices.own.forgotten).sorted { $0.text < $1.text }
        // Each process looks after the same folders.
        all += Set(live.flatMap(\.value.bus.files) + notices.own.files).sorted { $0.text < $1.text }
        all += live.flatMap { id, host in host.bus.late.map { ClusterNote($0.kind, "host \(id): \($0.text)", of: $0.module) } }
        all += live.flatMap { id, host in host.disk.map { ClusterNote(.disk, "host \(id): \($0.text)", of: $0.module) } }
        all += notes(live.compactMap { id, host in host.crowd.map { "host \(id): \($0)" } })
        all += notices.own.disk.map { ClusterNote(.disk, "the broker: \($0.text)", of: $0.module) }
        all += notes(hosts.flatMap { id, host in host.blocked.map { "host \(id): \($0.text)" } } + notices.clients)
        var lines: [String] = []
        if counters.illegalTransitions > 0 { lines.append("\(counters.illegalTransitions.counted("report")) of a state that cannot follow, ignored") }
        if counters.malformed > 0 { lines.append("\(counters.malformed.counted("message")) that could not be decoded, refused") }
        if notices.strangers.messages > 0 {
            lines.append("\(notices.strangers.messages.counted("message")) from processes that have not said who they are, although they were asked to")
        }
        if counters.stale > 0 { lines.append("\(counters.stale.counted("report")) about processes of the past, ignored") }
        return all + notes(lines)
    }

    private func topics() -> (handled: Set<Topic>, emitted: Set<Topic>) {
        var handled: Set<Topic> = []
        var emitted: Set<Topic> = [Self.builtInTopic]
        for record in modules.values where record.isMember {
            handled.formUnion(record.declaration?.handles ?? [])
            emitted.formUnion(record.declaration?.emits ?? [])
        }
        return (handled, emitted)
    }

    /// A module handles its own topics for whoever asks, also from outside, and tells of itself for whoever listens; so do the
    /// platform's orchestrators.
    private func topicNotes(
        _ declaration: ModuleDeclaration, handled: Set<Topic>, emitted: Set<Topic>
    ) -> [String] {
        func isOfOthers(_ topic: Topic) -> Bool {
            let owner = topic.rawValue.prefix { $0 != "." }
            return owner != declaration.id.rawValue && owner != "Orchestration"
        }
        return declaration.handles.filter { isOfOthers($0) && !emitted.contains($0) }.map {
            "\(declaration.id) handles \($0), which no module emits"
        }
            + declaration.emits.filter { isOfOthers($0) && !handled.contains($0) }.map {
                "\(declaration.id) emits \($0), which no module handles"
            }
    }
}
