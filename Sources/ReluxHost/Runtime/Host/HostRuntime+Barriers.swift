import Relux
import ReluxControl
import ReluxPlugin

/// Reports of the modules that keep the start from being over.
extension HostRuntime {
    /// Called when the module is set up.
    func watchBarrier(of id: ModuleID) {
        served[id]?.module.startBarrier?.observe { [weak self] _ in
            // The state is read when it is said, so tasks that overtake each other say the same.
            Task { await self?.sayBarrier(of: id) }
        }
    }

    /// Nothing before the module is ready: until then it is closed for the broker, and a life that has been handed over says nothing.
    func sayBarrier(of id: ModuleID) {
        guard case .ready = machine.modules[id]?.life, let barrier = served[id]?.module.startBarrier else { return }
        link.send(.startBarrier(module: id, barrier.state))
    }
}
