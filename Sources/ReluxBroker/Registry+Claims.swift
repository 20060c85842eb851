import ReluxBus
import ReluxPlugin
import ReluxWire

/// Processes that claim a host's name which is not theirs, or not yet.
extension Registry {
    /// Two processes, one name: the end of the first may simply not have been reported yet.
    ///
    /// Words of different processes arrive in any order, so who claims it later is not the younger one: all of them wait until the
    /// supervisor's word, or the time, says who is left.
    mutating func claim(_ hello: HostHello, _ connection: ConnectionID) {
        var claimants = hosts[hello.host]?.claimants ?? []
        if let index = claimants.firstIndex(where: { $0.connection == connection }) {
            claimants[index].hello = hello
        } else {
            claimants.append(.init(connection: connection, hello: hello, since: now))
            if claimants.count > 16 { claimants.removeFirst() }
        }
        hosts[hello.host]?.claimants = claimants
    }

    /// Called when the first one's end is known, and as time passes.
    mutating func settleClaim(on id: HostID) {
        guard let host = hosts[id], !host.claimants.isEmpty else { return }
        if !host.isLive {
            let index = host.claimants.lastIndex { $0.hello.pid == host.pid } ?? host.claimants.endIndex - 1
            guard let claimant = hosts[id]?.claimants.remove(at: index) else { return }
            greet(claimant.hello, from: claimant.connection)
            return
        }
        for claimant in host.claimants where now - claimant.since > configuration.silenceLimit {
            hosts[id]?.claimants.removeAll { $0.connection == claimant.connection }
            turnAway(
                claimant.hello, claimant.connection,
                "process \(host.pid) runs under it and answers; end one of them or rename it")
        }
    }

    /// - Parameter isNews: somebody should do something about it.
    mutating func turnAway(_ hello: HostHello, _ connection: ConnectionID, _ why: String, isNews: Bool = true) {
        counters.stale += 1
        let message = "host name \(hello.host) of process \(hello.pid) is not accepted: \(why)"
        if isNews { reject(Refusal(.hostNameTaken, message)) }
        for module in hello.modules {
            let order = HostOrder.refuse(
                module: module.declaration.id, code: Refusal.Rule.hostNameTaken.rawValue, message: message)
            actions.append(.toHosts([connection], order))
        }
        actions.append(.toHosts([connection], .stop))
    }
}
