import Relux
import ReluxPlugin

/// The box that a module of this process is made from.
struct HostedBox: Sendable {
    var box: PluginBox
    /// Fingerprints of the effect types that the module was built with; see ``PluginManifest/fingerprints``.
    var contracts = PlatformContracts.fingerprints
}

/// A module that is set up.
struct ServedModule: Sendable {
    var node: Relux
    var module: any Relux.Module
}
