package import ReluxWire

extension Relux {
    /// The node and the handler that some code runs in; bound as a task-local around every handler.
    ///
    /// One reference, because it is bound, read and handed on for every effect: as a value each of these would cost a retain for each of its parts.
    package final class Scope: Sendable {
        @TaskLocal package static var current: Scope?

        package let node: Relux
        package let module: ModuleID
        /// nil outside a handler.
        package let handler: Handler?
        /// What dispatches here is not waited for by the code that asked for it.
        let isLoose: Bool
        /// What dispatches here is a question with a limit of its own; see ``Dispatcher/ask(_:of:upTo:fileID:functionName:lineNumber:label:)``.
        let question: Question?

        struct Question: Sendable {
            /// The recipient whose answer is waited for; nil for all recipients.
            var recipient: ModuleID?
            var limit: Duration
        }

        /// One run of a module's handler.
        package struct Handler: Sendable {
            /// The delivery that it handles.
            let delivery: Delivery
            /// False for what was started without waiting: it neither holds the baton nor inherits the deadline.
            package var isAwaited: Bool
            /// A dispatch there begins a new chain of hops.
            fileprivate(set) var beginsChain = false
            /// Told when the sagas begin.
            let drain: DrainTask?

            init(of delivery: Delivery, isAwaited: Bool = true, drain: DrainTask? = nil) {
                (self.delivery, self.isAwaited, self.drain) = (delivery, isAwaited, drain)
            }

            package var run: UInt64 { delivery.run }
            package var effect: EffectID { delivery.id }
            package var ancestry: [EffectID] { beginsChain ? [] : delivery.ancestry }
            package var awaitDepth: Int { delivery.awaitDepth }
            package var deadline: Duration? { delivery.deadline }
            /// The effect is not handled again after a death: what is said for it is not looked for by a re-run.
            package var isTransient: Bool { delivery.durability == .transient }
        }

        /// The running handler's scope if it is the module's own, else one without a cause.
        static func entered(_ node: Relux, _ module: ModuleID) -> Scope {
            if let current, current.node === node, current.module == module { return current }
            return Scope(node: node, module: module)
        }

        /// The same, as ``unawaited(isLoose:)`` makes it.
        static func loose(_ node: Relux, _ module: ModuleID) -> Scope {
            if let current, current.node === node, current.module == module { return current.unawaited(isLoose: true) }
            return Scope(node: node, module: module, handler: nil, isLoose: true, question: nil)
        }

        package convenience init(node: Relux, module: ModuleID, handler: Handler? = nil) {
            self.init(node: node, module: module, handler: handler, isLoose: false, question: nil)
        }

        private init(node: Relux, module: ModuleID, handler: Handler?, isLoose: Bool, question: Question?) {
            self.node = node
            self.module = module
            self.handler = handler
            self.isLoose = isLoose
            self.question = question
        }

        /// The same cause, but nobody waits for what is dispatched there: neither the handler nor, if `isLoose`, the code that asks for it.
        package func unawaited(isLoose: Bool = false) -> Scope { with(isLoose: isLoose || self.isLoose, question: question) }

        /// Something begins here that may speak in the handler's name after its end.
        package func outlives() {
            if let handler { node.exchange.loosens(handler.run, of: module) }
        }

        /// The same cause, but what is dispatched there begins a new chain of hops.
        func beginningChain() -> Scope {
            var handler = handler
            handler?.beginsChain = true
            return Scope(node: node, module: module, handler: handler, isLoose: isLoose, question: question)
        }

        /// The same cause, for a question.
        func asking(_ question: Question) -> Scope { with(isLoose: isLoose, question: question) }

        private func with(isLoose: Bool, question: Question?) -> Scope {
            var handler = handler
            handler?.isAwaited = false
            return Scope(node: node, module: module, handler: handler, isLoose: isLoose, question: question)
        }
    }
}
