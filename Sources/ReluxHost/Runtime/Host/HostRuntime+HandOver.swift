import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxPlugin

/// A module that another process takes over, or gives up; the page LifeOfAModule has its steps.
extension HostRuntime {
    /// Ends the module's life here and seals its journal; its image stays. The successor does not wait for the clean-up that follows.
    func handOver(_ id: ModuleID, older: [String: UInt32]) async {
        guard let box = boxes[id]?.box, let node = served[id]?.node, let epoch = machine.modules[id]?.life.membership?.epoch else {
            return _ = feed.yield(.gone(id, failure: nil))
        }
        var failure: String?
        do {
            try await node.handOver(within: configuration.drainLimit, older: older)
        } catch {
            failure = "\(error)"
        }
        exchange.sayKeptRefusals(isLast: true)
        snapshots.silence(id)
        // No handler is to blame for what comes next. Before the lock is given back: a successor makes a table of its own.
        unlink(configuration.run.openTable(of: id.rawValue))
        await endpoint.handOver(box.declaration)
        probe.forget(id)
        served[id] = nil
        sayEnds()
        feed.yield(.gone(id, failure: failure))
        await snapshots.detach(id)
        await node.dispose()
        feed.yield(.cleaned(id, epoch))
    }
}
