import ReluxBus
import ReluxPlugin
import ReluxWire

/// What a hand-over leaves behind for later starts of the cluster, and for the next broker.
extension Registry {
    /// The host as its configuration has it, with the versions that were upgraded to: as long as the configuration names for a
    /// module what it named at the upgrade. One that was changed since wins, and ends the way back.
    mutating func asServed(_ spec: HostSpec, _ plugins: [String: PluginFacts]) -> HostSpec {
        var spec = spec
        for (index, directory) in spec.plugins.enumerated() {
            guard case .manifest(let declaration, _, _) = plugins[directory], let versions = served[declaration.id] else {
                continue
            }
            let id = declaration.id
            guard versions.known.contains(directory) else {
                served[id] = nil
                mustPersist = true
                continue
            }
            guard versions.directory != directory else {
                // The configuration has caught up: what it names next counts, whatever was served before.
                served[id]?.known = [directory]
                mustPersist = true
                continue
            }
            if case .manifest(let other, _, _) = plugins[versions.directory], other.id == id {
                spec.plugins[index] = versions.directory
                remark(
                    "\(id) is served from \(versions.directory), as it was before the cluster was started again; the configuration"
                        + " names \(directory)")
            } else {
                remark(
                    "\(id) is served from \(directory), as configured: the version that it was upgraded to,"
                        + " \(versions.directory), cannot be read any more")
                served[id] = nil
                mustPersist = true
            }
        }
        return spec
    }

    /// Takes up a hand-over of the broker before this one; who stands by and what was sealed the hosts say again.
    mutating func restore(_ handover: Handover) {
        guard modules[handover.module] != nil, hosts[handover.to] != nil, hosts[handover.from] != nil else { return }
        var handover = handover
        handover.since = now
        if handover.stage != .preparing {
            handover.pausedSince = time
            handover.isPauseOpen = true
        }
        handovers[handover.module] = handover
        index(handover.module)
    }
}
