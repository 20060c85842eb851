import ReluxControl
import ReluxPlugin
import ReluxWire

/// Processes that claim a host's name which is not theirs, or not yet.
extension Registry {
    /// Whether the process that has the name is over, because this one has it.
    func isSuccessor(_ hello: HostHello, of host: HostRecord) -> Bool {
        if let start = hello.start, host.isForeign || host.start != start { return true }
        return hello.pid == host.pid && hello.pid != 0
    }

    /// Two processes with one name, of which no supervisor says which one is over. The end of the first may not be known yet: the second says hello
    /// again as long as nobody answers, and is turned away when the first was heard after the second began.
    mutating func contend(_ hello: HostHello, _ connection: ConnectionID, _ host: HostRecord) {
        let age = hello.ageMilliseconds.map { Duration.milliseconds(Int64(clamping: $0)) }
        // The last word of the first may have been on its way for a while.
        let isOutlived = age.map { $0 > configuration.silenceLimit && clock.now - host.lastHeard + .seconds(2) < $0 } ?? true
        guard host.connection != nil, isOutlived else { return }
        turnAway(hello, connection, "process \(host.pid) runs under it and answers; end one of them or rename it")
    }

    /// The number of a process of ours whose program has dropped the variable that says it: it is known by its pid. Nobody else gets the name.
    mutating func start(ofUnnumbered hello: HostHello, _ host: HostRecord, _ connection: ConnectionID) -> StartNumber? {
        if host.process == .ordered, hello.pid > 0, hello.pid == host.pid { return host.start }
        // The supervisor's word on it may be on its way; the process says hello again.
        guard supervisor != nil, host.process != .backoff, host.process != .ordered || host.pid > 0 else {
            notices.counters.stale += 1
            return nil
        }
        let way = "rename this one, or see that \(StartNumber.variable) reaches it"
        turnAway(hello, connection, "the cluster's supervisor starts it (relux module restart); \(way)")
        return nil
    }

    /// - Parameter isNews: somebody should do something about it.
    mutating func turnAway(_ hello: HostHello, _ connection: ConnectionID, _ why: String, isNews: Bool = true) {
        notices.counters.stale += 1
        let message = "host name \(hello.host) of process \(hello.pid) is not accepted: \(why)"
        if isNews { reject(Refusal(.hostNameTaken, message)) }
        for module in hello.modules {
            let order = HostOrder.refuse(
                module: module.declaration.id, code: Refusal.Rule.hostNameTaken.rawValue, message: message)
            tell(connection, order)
        }
        tell(connection, .stop)
    }
}
