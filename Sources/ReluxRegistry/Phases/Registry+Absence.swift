import ReluxControl
import ReluxPlugin
import ReluxWire

/// Members that nothing which goes on by itself brings: nobody is to wait for them, and the picture says why.
///
/// Design notes. Known to be absent is who waits for a requirement that is absent itself, is quarantined, or has a process that is gone and is not
/// started again. Who starts, restores, is handed over or is started again after a death is on its way, and so is who waits for such a one. A module
/// that was ready serves on while it waits. A module that is being removed is none either: what pends on it ends with the removal, by name. What this
/// broker has not heard of since its start is not known.
extension Registry {
    /// Called when everything has settled.
    mutating func noteAbsences() {
        // A cluster that goes down changes nobody: who was absent before stays so, and nobody else becomes it.
        guard boot != .closing else { return }
        var found: [ModuleID: String] = [:]
        for id in index.idle { found[id] = absence(of: id) }
        guard found != index.absences else { return }
        index.absences = found
        turn.hasPictureChanged = true
    }

    private func absence(of id: ModuleID) -> String? {
        guard let record = modules[id], record.isMember, !record.isLeaving, !(record.isLive && record.present.instance.wasReady) else { return nil }
        var seen: Set<ModuleID> = []
        return hindrance(of: id, &seen)
    }

    /// Why the module does not become ready by itself; nil when it is, or is on its way.
    private func hindrance(of id: ModuleID, _ seen: inout Set<ModuleID>) -> String? {
        guard let record = modules[id], let host = hosts[record.host], handovers[id] == nil, seen.insert(id).inserted else { return nil }
        let state = record.state
        switch state.phase {
        case .quarantined: return "it is quarantined\(remark(state.why)); after a look at its log: relux module restart \(id)"
        case .refused: return "it is refused\(remark(state.why))"
        case .stopped where host.process == .ended && !record.isLive && !host.isForeign:
            return "its process has ended\(remark(state.why)) and is not started again; relux module restart \(id)"
        case .stopped, .backoff: return record.isLive ? nil : hindrance(ofStranger: host, id, why: state.why)
        case .waiting where host.connection != nil:
            for provider in record.providers {
                guard let unmet = unmetImport(provider) else { continue }
                if modules[provider] == nil || modules[provider]?.isLeaving == true || hindrance(of: provider, &seen) != nil { return unmet.why }
            }
            return nil
        case .declared, .verified, .starting, .recovering, .waiting, .ready, .draining, .standby: return nil
        }
    }

    /// A process that no supervisor of ours starts again; somebody else may, where there is none at all.
    private func hindrance(ofStranger host: HostRecord, _ module: ModuleID, why: String) -> String? {
        guard host.isForeign, !host.isLive else { return nil }
        if configuration.supervised { return "its process has ended\(remark(why)), and no supervisor of this cluster starts it; start it again, or: relux module unload \(module)" }
        guard clock.now - host.since > configuration.startPatience else { return nil }
        return "its process has ended\(remark(why)) and did not come back within \(configuration.startPatience)"
    }

    private func remark(_ why: String) -> String { why.isEmpty ? "" : " (\(why))" }
}
