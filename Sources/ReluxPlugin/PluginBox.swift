public import Relux

/// What a plugin's entry point hands to the host: the declaration, the types to decode, and how to make the module.
///
/// The class lives in libRelux.so, so that the host can tell a box of its own runtime from a copy's.
public final class PluginBox: Sendable {
    public let declaration: ModuleDeclaration
    /// The effect types that arrive coded; their topics are the declaration's `handles`.
    public let handles: [any Relux.Effect.Type]
    /// The snapshot types of others that the module relays; their topics are the declaration's `observes`.
    public let observes: [any Relux.SharedSnapshot.Type]
    /// Makes a fresh module, a `Relux.Module`; the host calls it once per node.
    public let make: @MainActor @Sendable () async throws -> any Sendable

    public init(
        declaration: ModuleDeclaration, handles: [any Relux.Effect.Type] = [],
        observes: [any Relux.SharedSnapshot.Type] = [],
        make: @escaping @MainActor @Sendable () async throws -> any Sendable
    ) {
        self.declaration = declaration
        self.handles = handles
        self.observes = observes
        self.make = make
    }
}

/// Name of the one C function that every plugin library exports.
public let reluxPluginEntry = "relux_plugin_main"

/// Boxes a plugin whose declaration was written by hand; ``exportModule(_:version:kind:handles:emits:provides:observes:isSerial:startBarrier:make:)``
/// derives it from types.
///
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

/// Boxes a module for its host; the whole body of a plugin's entry point.
///
/// ```swift
/// @c(relux_plugin_main) public func pluginMain() -> UnsafeMutableRawPointer {
///     exportModule(
///         "Auth", version: "1.0.0", kind: .domain, handles: [Auth.Business.Effect.self],
///         emits: [Auth.Business.Effect.self]
///     ) { await Auth.Module() }
/// }
/// ```
/// - Parameters:
///   - handles: effect types of which the module gets every effect.
///   - emits: effect types that it may dispatch; any other is refused.
///   - provides: snapshot types that its relays share with the cluster.
///   - observes: snapshot types of others that its store keeps relays of.
///   - startBarrier: of a module with a `startBarrier`, the effect types that users may send while it is closed.
/// - Returns: A retained ``PluginBox``; the caller of the entry point takes it over.
@_alwaysEmitIntoClient
public func exportModule(
    _ id: ModuleID, version: String, kind: ModuleDeclaration.Kind, handles: [any Relux.Effect.Type],
    emits: [any Relux.Effect.Type], provides: [any Relux.SharedSnapshot.Type] = [],
    observes: [any Relux.SharedSnapshot.Type] = [], isSerial: Bool = false,
    startBarrier: [any Relux.Effect.Type]? = nil, make: @escaping @MainActor @Sendable () async throws -> any Relux.Module
) -> UnsafeMutableRawPointer {
    _ = reluxRuntimeABI()
    let box = PluginBox.of(
        id, version: version, kind: kind, handles: handles, emits: emits, provides: provides, observes: observes,
        isSerial: isSerial, startBarrier: startBarrier, make: make)
    return Unmanaged.passRetained(box).toOpaque()
}

/// Boxes a module for its host; the whole body of a plugin's entry point.
///
/// ```swift
/// @c(relux_plugin_main)
/// public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Notes.Module.self) }
/// ```
/// The declaration follows from what the type says. The body is emitted into the plugin, and with it a reference to this runtime's guard symbol: the
/// loader of the operating system refuses a plugin that was built against another runtime before any of its code has run.
/// - Returns: A retained ``PluginBox``; the caller of the entry point takes it over.
@_alwaysEmitIntoClient
public func exportModule<M: Relux.Plugin>(_ module: M.Type) -> UnsafeMutableRawPointer {
    _ = reluxRuntimeABI()
    return Unmanaged.passRetained(PluginBox(module)).toOpaque()
}

extension PluginBox {
    /// The box of a module that a host makes by itself.
    public convenience init<M: Relux.Plugin>(_ module: M.Type) {
        let (handles, emits) = (M.handles ?? [], M.emits ?? [])
        self.init(
            declaration: ModuleDeclaration(
                id: M.moduleID, version: M.version, kind: M.kind, handling: M.isSerial ? .serial : .concurrent,
                handles: handles.map { $0.wireTopic }.sorted(), emits: emits.map { $0.wireTopic }.sorted(),
                provides: M.provides.map { $0.wireTopic }.sorted(), observes: M.observes.map { $0.wireTopic }.sorted(),
                durabilities: ModuleDeclaration.durabilities(of: handles + emits),
                startBarrier: M.startEffects?.map { $0.wireTopic }.sorted()),
            handles: handles, observes: M.observes, make: { try await M() })
    }

    /// The box of a module that is linked instead of loaded: a domain that is an executable of its own hands it to the host library.
    public static func of(
        _ id: ModuleID, version: String, kind: ModuleDeclaration.Kind, handles: [any Relux.Effect.Type],
        emits: [any Relux.Effect.Type], provides: [any Relux.SharedSnapshot.Type] = [],
        observes: [any Relux.SharedSnapshot.Type] = [], isSerial: Bool = false,
        startBarrier: [any Relux.Effect.Type]? = nil, make: @escaping @MainActor @Sendable () async throws -> any Relux.Module
    ) -> PluginBox {
        PluginBox(
            declaration: ModuleDeclaration(
                id: id, version: version, kind: kind, handling: isSerial ? .serial : .concurrent,
                handles: handles.map { $0.wireTopic }.sorted(), emits: emits.map { $0.wireTopic }.sorted(),
                provides: provides.map { $0.wireTopic }.sorted(), observes: observes.map { $0.wireTopic }.sorted(),
                durabilities: ModuleDeclaration.durabilities(of: handles + emits),
                startBarrier: startBarrier?.map { $0.wireTopic }.sorted()),
            handles: handles, observes: observes, make: { try await make() })
    }
}
