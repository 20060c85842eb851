package import ReluxControl
package import ReluxWire

/// The cluster's file as the registry knows it, and what somebody has taken out of the cluster although the file names it. Pure.
package struct FiledMembers: Sendable {
    /// The file as it was at the latest start, or when it was carried out last.
    package private(set) var hosts: [HostSpec]
    /// Modules that this file names and somebody has taken out; they stay out.
    package private(set) var unloaded: Set<ModuleID>

    init(_ hosts: [HostSpec] = [], unloaded: Set<ModuleID> = []) { (self.hosts, self.unloaded) = (hosts, unloaded) }

    func names(_ id: ModuleID) -> Bool { hosts.contains { $0.plugins.contains { PluginFacts.moduleName(of: $0) == id } } }

    /// The file was carried out; a reset brings all that it names.
    mutating func replace(with file: [HostSpec], isReset: Bool = false) {
        hosts = file
        unloaded = isReset ? [] : unloaded.filter(names)
    }

    /// A module that somebody has taken out stays out, also where the file names it.
    mutating func noteUnloaded(_ id: ModuleID) { if names(id) { unloaded.insert(id) } }

    mutating func noteLoaded(_ id: ModuleID) { unloaded.remove(id) }
}
