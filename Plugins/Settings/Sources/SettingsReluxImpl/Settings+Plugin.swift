internal import SettingsModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Settings.Module.self) }
