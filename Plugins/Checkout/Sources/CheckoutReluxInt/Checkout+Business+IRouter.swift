public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// Where the checkout sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setCheckoutPage(_ page: Checkout.UI.Model.Page) -> any Relux.Action
    }
}

extension Checkout.UI.Model {
    public enum Page: Sendable, Equatable, Codable {
        case confirmation(orderId: String)
        case refused(orderId: String)
    }
}
