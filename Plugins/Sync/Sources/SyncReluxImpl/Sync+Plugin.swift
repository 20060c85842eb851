internal import SyncModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Sync.Module.self) }
