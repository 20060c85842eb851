internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import PaymentModels
internal import PaymentReluxInt
internal import Relux
internal import ReluxPlugin

extension Payment {
    /// What the broker learns of the module before it is made; a test compares it with the module.
    static let declaration = ModuleDeclaration(
        id: "Payment",
        version: "1.0.0",
        kind: .domain,
        handles: [Payment.Business.Effect.wireTopic],
        emits: [
            Payment.Business.Effect.wireTopic,
            ErrorHandling.Business.Effect.wireTopic,
        ],
        provides: [Payment.Business.Snapshot.wireTopic],
        states: ["Payment.Business.State"],
        flows: ["Payment.Business.Flow"]
    )
}

@c(relux_plugin_main)
public func pluginMain() -> UnsafeMutableRawPointer {
    exportPlugin(Payment.declaration) { try Payment.Module() }
}
