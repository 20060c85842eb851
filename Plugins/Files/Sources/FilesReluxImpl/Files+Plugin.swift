internal import FilesModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Files.Module.self) }
