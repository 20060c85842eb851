internal import AuthReluxInt
internal import CartReluxInt
internal import CheckoutReluxInt
internal import PaymentReluxInt
public import Relux
internal import ReluxPlugin

extension CommerceOrchestration {
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static var kind: Relux.ModuleKind { .orchestrator }
        public static var handles: [any Relux.Effect.Type]? { (emits ?? []) + [Cluster.Business.Effect.self] }
        public static var emits: [any Relux.Effect.Type]? {
            [Auth.Business.Effect.self, Cart.Business.Effect.self, Checkout.Business.Effect.self, Payment.Business.Effect.self]
        }
        public static var observes: [any Relux.SharedSnapshot.Type] { [Payment.Business.Snapshot.self] }

        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        /// `RELUX_REFUND_INTERVAL_MS` says how often it asks Payment for due refunds.
        ///
        /// - Throws: a failure that names a value that is not allowed.
        @MainActor
        public init() throws {
            self.init(Refunds(every: try RefundInterval.read()))
        }

        @MainActor
        init(_ refunds: Refunds) {
            self.sagas = [Saga(refunds)]
        }
    }
}
