import ReluxBus
import ReluxPlugin
import ReluxWire

/// Modules that are not taken, and how the broker hears why.
extension HostRuntime {
    /// The broker does not take the module, or it broke a rule when it was made.
    func refuse(_ id: ModuleID, code: String, message: String) {
        log("refused \(id): \(code): \(message)")
        guard modules[id]?.node == nil else { return }
        hinder(code == HostOrder.nameTaken ? .turnedAway : .refused)
        forgetStandBy(id)
        modules[id] = nil
        loader.release(id)
        endIfEmpty()
    }

    /// Whoever was turned away is to come again, whatever was refused beside it.
    func hinder(_ end: HostEnd) {
        if hindrance != .turnedAway { hindrance = end }
    }

    func refuseHere(_ id: ModuleID, code: String, message: String) {
        // With the rule's name in front, as the loader says it.
        sayRefused(id, code, "\(code): \(message)")
        refuse(id, code: code, message: message)
    }

    /// Kept until the broker has noted it; before the welcome it goes with the `hello`.
    func sayRefused(_ id: ModuleID, _ code: String, _ message: String) {
        refusals.removeAll { $0.module == id }
        refusals.append((id, code, message, .now))
        if isWelcome { link.send(.refused(module: id, code: code, message: message)) }
    }

    /// A broker that was not sure yet who we are has dropped them.
    func sayRefusalsAgain() {
        guard isWelcome, !refusals.isEmpty, link.isDue("refusals", every: .seconds(1)) else { return }
        for refusal in refusals { link.send(.refused(module: refusal.module, code: refusal.code, message: refusal.message)) }
    }

    /// Nobody is there to note them: the log has them.
    func giveUpRefusals() {
        guard isWelcome, modules.isEmpty, !refusals.isEmpty else { return }
        let count = refusals.count
        refusals.removeAll { ContinuousClock.now - $0.since > configuration.refusalLimit }
        guard refusals.count < count else { return }
        log("no broker has noted within \(DurationText.print(configuration.refusalLimit)) that \(count - refusals.count) modules were refused; it is said above")
        inTurn { _ in }
    }
}
