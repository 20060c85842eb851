public import Relux

extension CommerceOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        public var handles: [any Relux.Effect.Type]? { CommerceOrchestration.handled }
        public var emits: [any Relux.Effect.Type]? { CommerceOrchestration.emitted }

        /// How often it asks again for what is due is in the environment: `RELUX_REFUND_INTERVAL_MS`.
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
