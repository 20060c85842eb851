internal import CheckoutReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    /// An earlier version of Payment kept its debts without their users; Checkout knows the order's user.
    func owner(of orderId: String, _ userId: String) async -> String {
        guard userId.isEmpty else { return userId }
        let answer = await actions {
            Checkout.Business.Effect.status(orderId: orderId)
        }
        return answer.value(Checkout.Business.Model.Purchase.self, from: "Checkout")?.order.userId ?? ""
    }
}
