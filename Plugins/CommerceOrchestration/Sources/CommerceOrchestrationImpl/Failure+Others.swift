internal import CheckoutReluxInt
internal import Relux

extension Relux.Failure {
    /// Whether Checkout says that the purchase is another user's.
    var isOthers: Bool { domain == "Checkout" && code == "\(Checkout.Business.Model.Failure.Code.otherUser)" }
}
