// Written by deploy/generate-guard over the sources of libRelux.so, libReluxFiles.so and libReluxStorage.so and the compiler's version; not edited by hand.

/// The symbol that every plugin of this runtime needs; its name is the runtime's fingerprint.
///
/// Never inlined, for an inlined body would take the reference out of the plugin and let any plugin load.
@c(relux_abi_1bd5d52da1413369) @inline(never)
public func reluxRuntimeABI() -> Int32 { 1 }

/// The guard's name. Its body is emitted into the caller, so a host executable is bound to its runtime as well.
@_alwaysEmitIntoClient
public var reluxRuntimeGuard: String {
    _ = reluxRuntimeABI()
    return "relux_abi_1bd5d52da1413369"
}
