internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import Relux

extension CommerceOrchestration.Saga {
    func handleCartEffect(_ effect: any Relux.Effect) async {
        switch effect as? Cart.Business.Effect {
        case .checkOutRequested(let request):
            let order = Checkout.Business.Model.Order(
                id: request.id, userId: request.userId,
                lines: request.lines.map { .init(sku: $0.sku, quantity: $0.quantity, unitPrice: $0.unitPrice) }, total: request.total)
            await actions {
                Checkout.Business.Effect.begin(order: order)
            }

        case .cartFailed(let error) where error.isAuthError:
            // Perhaps the cart only missed the login: if there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
