extension Relux {
    /// Builds the batch of `actions { … }`; takes `if`, `for`, optionals and arrays, and keeps the source order.
    @resultBuilder
    public enum ActionsBuilder {
        public static func buildExpression(_ action: any Relux.Action) -> [any Relux.Action] { [action] }
        public static func buildExpression(_ action: (any Relux.Action)?) -> [any Relux.Action] {
            action.map { [$0] } ?? []
        }
        public static func buildExpression(_ actions: [any Relux.Action]) -> [any Relux.Action] { actions }
        // Most batches are of one, and need no list of lists.
        public static func buildBlock(_ part: [any Relux.Action]) -> [any Relux.Action] { part }
        public static func buildBlock(_ parts: [any Relux.Action]...) -> [any Relux.Action] { parts.flatMap { $0 } }
        public static func buildOptional(_ part: [any Relux.Action]?) -> [any Relux.Action] { part ?? [] }
        public static func buildEither(first: [any Relux.Action]) -> [any Relux.Action] { first }
        public static func buildEither(second: [any Relux.Action]) -> [any Relux.Action] { second }
        public static func buildArray(_ parts: [[any Relux.Action]]) -> [any Relux.Action] { parts.flatMap { $0 } }
        public static func buildLimitedAvailability(_ part: [any Relux.Action]) -> [any Relux.Action] { part }
    }

    /// How a batch is worked off.
    public enum ActionsExecutionType: Sendable {
        /// The next starts after the previous has settled; a failure does not stop the batch.
        case serially
        /// All start at once; no order between them.
        case concurrently
        /// As `serially`, but what follows a failure is not dispatched.
        case seriallyStoppingOnFailure
    }
}
