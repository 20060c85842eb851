internal import CheckoutModels
internal import ReluxPlugin

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Checkout.Module.self) }
