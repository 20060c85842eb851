/// What a plugin's entry point hands to the host: the declaration, and how to make the module.
///
/// The class lives in libRelux.so, so that the host can tell a box of its own runtime from a copy's.
public final class PluginBox: Sendable {
    public let declaration: ModuleDeclaration
    /// Makes a fresh module; the host calls it once per node.
    public let make: @MainActor @Sendable () async throws -> any Sendable

    public init(
        declaration: ModuleDeclaration, make: @escaping @MainActor @Sendable () async throws -> any Sendable
    ) {
        self.declaration = declaration
        self.make = make
    }
}

/// Name of the one C function that every plugin library exports.
public let reluxPluginEntry = "relux_plugin_main"

/// Boxes a plugin for its host; the whole body of a plugin's entry point.
///
/// ```swift
/// @c(relux_plugin_main) public func pluginMain() -> UnsafeMutableRawPointer {
///     exportPlugin(declaration) { Auth.Module() }
/// }
/// ```
/// The body is emitted into the plugin, and with it a reference to this runtime's guard symbol: the loader of the
/// operating system refuses a plugin that was built against another runtime before any of its code has run.
/// - Returns: A retained ``PluginBox``; the caller of the entry point takes it over.
@_alwaysEmitIntoClient
public func exportPlugin(
    _ declaration: ModuleDeclaration, make: @escaping @MainActor @Sendable () async throws -> any Sendable
) -> UnsafeMutableRawPointer {
    _ = reluxRuntimeABI()
    return Unmanaged.passRetained(PluginBox(declaration: declaration, make: make)).toOpaque()
}
