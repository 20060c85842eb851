import Relux
import ReluxBus
import ReluxPlugin

/// A module of this process from its loading to its end.
struct HostedModule: Sendable {
    var box: PluginBox
    /// Interfaces that its library needs, from the NEEDED entries.
    var imports: [String]
    /// Fingerprints of the effect types that the module was built with; see ``PluginManifest/fingerprints``.
    var contracts = PlatformContracts.fingerprints
    /// The module's packed plugin; empty for a linked module.
    var directory = ""
    var state = ModuleState(.starting)
    var epoch: Epoch?
    /// It will be set up under this epoch, or is being.
    var promised: Epoch?
    /// The last one under which it was to be set up; an attempt under another one is over.
    var ordered: Epoch?
    /// It has stood by here: whoever gives it an epoch has it take over, and before that is decided nothing that it says may count.
    var isSuccessor = false
    /// Made when the broker has given it an epoch.
    var node: Relux?
    var module: (any Relux.Module)?
    /// The order to proceed has come.
    var mayProceed = false

    var id: ModuleID { box.declaration.id }

    /// Under a promised epoch it recovers, whatever its life before is still doing.
    ///
    /// - Parameter ended: the epoch of its last life that has ended in this process.
    func hello(ended: Epoch?) -> HostHello.Module {
        let isOver = promised != nil && promised != epoch
        return HostHello.Module(
            declaration: box.declaration, imports: imports, epoch: promised ?? epoch, ended: ended, state: isOver ? ModuleState(.recovering) : state)
    }
}
