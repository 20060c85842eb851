public import Relux
internal import ReluxPlugin

/// The main program of a domain that is an executable of its own: a host whose modules are linked instead of loaded.
///
/// Such an executable links the product `ReluxHost` and the plugins' libraries. It is started like any host, by the key
/// `executable:` of the cluster's file, and takes part in all that the cluster does with hosts.
public enum ReluxHostMain {
    /// Runs the plugins with these entry points, and those that the command line names besides; never returns.
    ///
    /// ```swift
    /// import NotesReluxImpl
    /// import ReluxHost
    ///
    /// await ReluxHostMain.run(linked: [pluginMain])
    /// ```
    ///
    /// The process ends with 0 when it was told to, else with one of sysexits' codes and a line on standard error.
    /// - Parameter linked: the function `relux_plugin_main` of each linked plugin; each is called once.
    @MainActor public static func run(linked: [() -> UnsafeMutableRawPointer]) async -> Never {
        let boxes = linked.map { Unmanaged<PluginBox>.fromOpaque($0()).takeRetainedValue() }
        await HostMain.run(CommandLine.arguments, linked: boxes)
    }

    /// Runs a user interface: a process of its own that takes part in the cluster with one module, and shows something to a person.
    ///
    /// It is started by that person, not by the supervisor: `NAME --run DIRECTORY --host NAME`. `interface` is called once, on the main
    /// actor, when the module is ready; when it returns the module leaves and the process ends. When the cluster ends first, the
    /// process ends with it.
    /// - Parameters:
    ///   - plugin: the function `relux_plugin_main` of the interface's module.
    ///   - interface: gets what the module dispatches through, and reads the snapshots with; returns the process's exit status.
    @MainActor public static func run(
        interface plugin: () -> UnsafeMutableRawPointer, _ interface: @escaping @MainActor @Sendable (Relux.Dispatcher) async -> Int32
    ) async -> Never {
        let box = Unmanaged<PluginBox>.fromOpaque(plugin()).takeRetainedValue()
        await HostMain.run(CommandLine.arguments, linked: [box], interface: interface)
    }
}
