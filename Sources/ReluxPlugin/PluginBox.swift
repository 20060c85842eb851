public import Relux

/// The box that a plugin's entry point hands to the host: the declaration, the types to decode, and how to make the module.
///
/// The class lives in libRelux.so, so that the host can tell a box of its own runtime from a copy's.
public final class PluginBox: Sendable {
    public let declaration: ModuleDeclaration
    /// The effect types that arrive coded; their topics are the declaration's `handles`.
    public let handles: [any Relux.Effect.Type]
    /// The snapshot types of others that the module relays; their topics are the declaration's `observes`.
    public let observes: [any Relux.SharedSnapshot.Type]
    /// Why one of the schedules that its type has cannot be kept; nil when all can.
    package let scheduleFault: String?
    /// Makes a fresh module; the host calls it once per node.
    public let make: @MainActor @Sendable () async throws -> any Relux.Module

    package init(
        declaration: ModuleDeclaration, handles: [any Relux.Effect.Type] = [], observes: [any Relux.SharedSnapshot.Type] = [],
        scheduleFault: String? = nil,
        make: @escaping @MainActor @Sendable () async throws -> any Relux.Module
    ) {
        self.declaration = declaration
        self.handles = handles
        self.observes = observes
        self.scheduleFault = scheduleFault
        self.make = make
    }

    /// The box of a module that a host makes by itself. The declaration follows from what the type says.
    public convenience init<M: Relux.Plugin>(_ module: M.Type) { self.init(module) { try await M() } }

    /// The box of a module that is linked instead of loaded: a domain that is an executable of its own hands it to the host library, and makes the
    /// module as it likes.
    public convenience init<M: Relux.Module>(_ module: M.Type, make: @escaping @MainActor @Sendable () async throws -> M) {
        let (handles, emits) = (M.handles ?? [], M.emits ?? [])
        self.init(
            declaration: ModuleDeclaration(
                id: M.moduleID, version: M.version, kind: M.kind, handling: M.isSerial ? .serial : .concurrent,
                handles: handles.map { $0.wireTopic }.sorted(), emits: emits.map { $0.wireTopic }.sorted(),
                provides: M.provides.map { $0.wireTopic }.sorted(), observes: M.observes.map { $0.wireTopic }.sorted(),
                durabilities: ModuleDeclaration.durabilities(of: handles + emits),
                startBarrier: M.startEffects?.map { $0.wireTopic }.sorted()),
            handles: handles, observes: M.observes, scheduleFault: Relux.Schedule.fault(of: M.schedules, emits: M.emits ?? []), make: make)
    }
}

/// Name of the one C function that every plugin library exports.
public let reluxPluginEntry = "relux_plugin_main"

/// Boxes a module for its host; the whole body of a plugin's entry point.
///
/// ```swift
/// @c(relux_plugin_main)
/// public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Notes.Module.self) }
/// ```
/// The body is emitted into the plugin, and with it a reference to this runtime's guard symbol: the loader of the operating system refuses a plugin that
/// was built against another runtime before any of its code has run.
/// - Returns: A retained ``PluginBox``; the caller of the entry point takes it over.
@_alwaysEmitIntoClient
public func exportModule<M: Relux.Plugin>(_ module: M.Type) -> UnsafeMutableRawPointer {
    _ = reluxRuntimeABI()
    return Unmanaged.passRetained(PluginBox(module)).toOpaque()
}
