import ReluxControl
import ReluxPlugin
import ReluxWire

/// Which version a load takes: the one that was served last, unless somebody names another.
extension Registry {
    /// The host with the directories that count, and a line for each that is not the one that was named.
    ///
    /// - Parameters:
    ///   - takesServed: nobody has said which version is meant.
    ///   - yes: also one that breaks the contract of what was served last.
    func choose(
        _ host: HostSpec, _ plugins: [String: PluginFacts], takesServed: Bool, yes: Bool
    ) throws(Refusal) -> (host: HostSpec, notes: [String]) {
        var (host, notes) = (host, [String]())
        for (index, directory) in host.plugins.enumerated() {
            guard let wished = plugins[directory]?.declaration else { continue }
            let packed = PackedBuild(directory: directory, version: wished.version)
            if let live = modules[wished.id], !live.state.phase.isOver {
                guard takesServed, live.host == host.id, live.directory != directory, !live.directory.isEmpty else { continue }
                host.plugins[index] = live.directory
                let present = PackedBuild(directory: live.directory, version: live.declaration?.version ?? "")
                if !packed.isSame(as: present) { notes.append("\(wished.id) \(packed.unserved(wished.id, beside: present))") }
                continue
            }
            guard let versions = served[wished.id], versions.directory != directory else { continue }
            if takesServed {
                host.plugins[index] = versions.directory
                if let note = try serve(versions, wished.id, packed, plugins) { notes.append(note) }
            } else if !yes, let breaking = breaking(from: versions.directory, to: directory, plugins) {
                throw Refusal(.contractBroken, breaking)
            }
        }
        return (host, notes)
    }

    /// - Returns: what there is to say; nil where the same build is packed.
    private func serve(
        _ versions: ServedVersions, _ id: ModuleID, _ packed: PackedBuild, _ plugins: [String: PluginFacts]
    ) throws(Refusal) -> String? {
        let other = "relux module load \(id) --packed"
        guard let present = plugins[versions.directory]?.declaration, present.id == id else {
            var why = "it has no manifest of \(id)"
            if case .unreadable(_, let message) = plugins[versions.directory] { why = message }
            throw Refusal(
                .servedVersionGone,
                "\(id) \(versions.version ?? "") was served last, from \(versions.directory), which is not there any more (\(why)). Bring that"
                    + " directory back, or name another version: \(other)")
        }
        if plugins[versions.directory]?.isOfOtherRuntime == true {
            throw Refusal(
                .otherRuntime,
                "\(id) \(present.version) was served last, from \(versions.directory), and was built for another runtime, so this one refuses it."
                    + " What was packed last takes its place: \(other)")
        }
        let last = PackedBuild(directory: versions.directory, version: present.version)
        return packed.isSame(as: last) ? nil : "\(id) \(last.name(beside: packed)) was served last; \(packed.unserved(id, beside: last))"
    }
}
