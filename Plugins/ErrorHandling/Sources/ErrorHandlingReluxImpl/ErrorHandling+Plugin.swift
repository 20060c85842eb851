internal import ErrorHandlingModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(ErrorHandling.Module.self) }
