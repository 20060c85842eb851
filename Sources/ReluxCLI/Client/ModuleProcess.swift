import Glibc
import ReluxControl
import ReluxWire

extension CommandSession {
    /// Returns when the module has a process, which alone writes its journal; a module whose process is about to start is waited for.
    func requireProcess(of module: ModuleID, to purpose: String, _ client: borrowing BrokerClient) throws(CLIError) {
        let clock = ContinuousClock()
        let limit = timeout(.seconds(10))
        let end = clock.now + limit
        while true {
            let status = try status(client)
            let found = try status.module(named: module.rawValue, packed: packedModules())
            if status.isClosing { throw .takenDown(try location().run, before: "\(module) had a process") }
            var isComing = false
            switch found.state.phase {
            case .recovering, .waiting, .ready, .draining: return
            case .declared, .verified, .starting, .backoff, .standby: isComing = status.picture.absences[found.id] == nil
            case .refused, .quarantined, .stopped: break
            }
            guard isComing, clock.now < end else {
                let why = found.state.why.isEmpty ? "" : ", \(found.state.why)"
                throw CLIError(
                    .refused, "module.noProcess",
                    "\(module) has no process that could \(purpose) (\(found.state.phase.rawValue)\(why)); nothing was done",
                    hint: isComing
                        ? "it was so for \(DurationText.print(limit)); --timeout waits longer" : "relux module restart \(module), then try again")
            }
            sayOnce("waiting for \(module) to run")
            usleep(50_000)
        }
    }
}
