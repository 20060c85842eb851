internal import CheckoutModels
internal import CheckoutReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Checkout {
    /// The checkout's pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Checkout.Business.IRouter {
        func setCheckoutPage(_ page: Checkout.UI.Model.Page) -> any Relux.Action {
            switch page {
            case .confirmation(let id): Self.show("confirmation", id)
            case .refused(let id): Self.show("refused", id)
            }
        }

        private static func show(_ name: String, _ id: String) -> any Relux.Action {
            Navigation.Business.Effect.push(page: .init(domain: "checkout", name: name, parameters: ["id": id]))
        }
    }
}
