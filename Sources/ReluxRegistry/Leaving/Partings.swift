import ReluxControl
import ReluxWire

/// Modules that a host was told to let go of although it goes on, or another host serves them; or that were taken out before their process had let
/// go of them. Until it has, they may write their journals there.
struct Partings: Sendable {
    private(set) var byHost: [HostID: Set<ModuleID>] = [:]
    /// Since when each of them is waited for, as far as this broker knows.
    private var since: [HostID: [ModuleID: Duration]] = [:]

    init(_ byHost: [HostID: Set<ModuleID>] = [:]) { self.byHost = byHost }

    var isEmpty: Bool { byHost.isEmpty }
    /// All of them, wherever.
    var modules: Set<ModuleID> { byHost.values.reduce(into: []) { $0.formUnion($1) } }

    func contains(_ id: ModuleID, in host: HostID) -> Bool { byHost[host]?.contains(id) == true }

    mutating func insert(_ id: ModuleID, in host: HostID) { byHost[host, default: []].insert(id) }

    /// The host has let go of it, or need not.
    ///
    /// - Returns: whether that was waited for.
    @discardableResult
    mutating func remove(_ id: ModuleID, in host: HostID) -> Bool {
        guard byHost[host]?.remove(id) != nil else { return false }
        if byHost[host]?.isEmpty == true { byHost[host] = nil }
        return true
    }

    /// The host has no other modules than these.
    mutating func keep(_ present: Set<ModuleID>, in host: HostID) {
        byHost[host]?.formIntersection(present)
        if byHost[host]?.isEmpty == true { byHost[host] = nil }
    }

    /// Its process has ended.
    mutating func remove(_ host: HostID) { byHost[host] = nil }

    /// The modules of the host have as long again: it shows that it works.
    mutating func renew(_ host: HostID) { since[host] = nil }

    /// Hosts that have not let go within the limit, and of what, in order; `renew` gives one as long again.
    mutating func late(_ now: Duration, limit: Duration) -> [(host: HostID, module: ModuleID)] {
        var known: [HostID: [ModuleID: Duration]] = [:]
        for (host, modules) in byHost {
            for id in modules { known[host, default: [:]][id] = since[host]?[id] ?? now }
        }
        since = known
        return known.keys.sorted().compactMap { host in
            known[host]?.filter { now - $0.value > limit }.keys.min().map { (host, $0) }
        }
    }
}
