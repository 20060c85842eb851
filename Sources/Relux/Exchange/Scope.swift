package import ReluxWire

extension Relux {
    /// The node and the handler that some code runs in; bound as a task-local around every handler.
    ///
    /// One reference, because it is bound, read and handed on for every effect: as a value each of these would cost a retain for each of its parts.
    package final class Scope: Sendable {
        @TaskLocal package static var current: Scope?

        package let node: Relux
        let origin: Origin
        package var module: ModuleID { origin.module }
        /// nil outside a handler.
        package var handler: Handler? { origin.handler }
        /// The code that asks for a dispatch here does not wait for it.
        var isLoose: Bool { origin.isLoose }

        /// In whose name something is dispatched, and for whom.
        struct Origin: Sendable {
            var module: ModuleID
            /// nil outside a handler.
            var handler: Handler?
            /// Nobody waits for it.
            var isLoose = false
            /// It is a question with a limit of its own; see ``Dispatcher/ask(_:of:upTo:fileID:functionName:lineNumber:label:)``.
            var question: Question?

            /// The same cause, but nobody waits for what is dispatched there: neither the handler nor, if `isLoose`, the code that asks for it.
            func unawaited(isLoose: Bool = false) -> Origin {
                var origin = self
                origin.handler?.isAwaited = false
                if isLoose { origin.isLoose = true }
                return origin
            }
        }

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

        /// The same for something that nobody waits for, without a scope: most of what is dispatched so needs none.
        static func loose(_ node: Relux, _ module: ModuleID) -> Origin {
            if let current, current.node === node, current.module == module { return current.origin.unawaited(isLoose: true) }
            return Origin(module: module, isLoose: true)
        }

        package convenience init(node: Relux, module: ModuleID, handler: Handler? = nil) {
            self.init(node, Origin(module: module, handler: handler))
        }

        init(_ node: Relux, _ origin: Origin) {
            self.node = node
            self.origin = origin
        }

        /// As ``Origin/unawaited(isLoose:)``.
        package func unawaited(isLoose: Bool = false) -> Scope { Scope(node, origin.unawaited(isLoose: isLoose)) }

        /// Something begins here that may speak in the handler's name after its end.
        package func outlives() {
            if let handler { node.exchange.loosens(handler.run, of: module) }
        }

        /// The same cause, but what is dispatched there begins a new chain of hops.
        func beginningChain() -> Scope {
            var origin = origin
            origin.handler?.beginsChain = true
            return Scope(node, origin)
        }

        /// The same cause, for a question.
        func asking(_ question: Question) -> Scope {
            var origin = origin.unawaited()
            origin.question = question
            return Scope(node, origin)
        }
    }
}
