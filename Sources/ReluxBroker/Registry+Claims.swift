import ReluxBus
import ReluxPlugin
import ReluxWire

/// Processes that claim a host's name which is not theirs, or not yet.
extension Registry {
    /// Whether the process that has the name is over, because this one has it.
    func isSuccessor(_ hello: HostHello, of host: HostRecord) -> Bool {
        if let start = hello.start, host.isForeign || host.start != start { return true }
        return hello.pid == host.pid && hello.pid != 0
    }

    /// Two processes with one name, of which no supervisor says which one is over. The end of the first may simply not be known yet: the second says
    /// hello again, and is turned away when the first would have been found out by then.
    mutating func contend(_ hello: HostHello, _ connection: ConnectionID, _ host: HostRecord) {
        let age = hello.ageMilliseconds.map { Duration.milliseconds(Int64(clamping: $0)) }
        guard age.map({ $0 > configuration.silenceLimit }) ?? true else { return }
        turnAway(hello, connection, "process \(host.pid) runs under it and answers; end one of them or rename it")
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
