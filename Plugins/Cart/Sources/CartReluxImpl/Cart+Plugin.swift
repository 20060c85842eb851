internal import CartModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Cart.Module.self) }
