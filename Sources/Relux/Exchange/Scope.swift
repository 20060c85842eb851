package import ReluxWire

extension Relux {
    /// The node and the handler that some code runs in; bound as a task-local around every handler.
    package struct Scope: Sendable {
        @TaskLocal package static var current: Scope?

        package var node: Relux
        package var module: ModuleID
        /// nil outside a handler.
        package var handler: Handler?
        /// What dispatches here is not waited for by the code that asked for it.
        var isLoose = false
        /// What dispatches here is a question with a limit of its own; see ``Dispatcher/ask(_:of:upTo:fileID:functionName:lineNumber:label:)``.
        var question: Question?

        struct Question: Sendable {
            /// Whose answer is waited for; nil for everybody's.
            var recipient: ModuleID?
            var limit: Duration
        }

        /// One run of a module's handler.
        package struct Handler: Sendable {
            package var run: UInt64
            package var effect: EffectID
            package var ancestry: [EffectID]
            package var awaitDepth: Int
            package var deadline: Duration?
            /// False for what was started without waiting: it neither holds the baton nor inherits the deadline.
            package var isAwaited: Bool
            /// The effect is not handled again after a death: what is said for it is not looked for by a re-run.
            package var isTransient = false
        }

        /// The running handler's scope if it is the module's own, else one without a cause.
        static func entered(_ node: Relux, _ module: ModuleID) -> Scope {
            if let current, current.node === node, current.module == module { return current }
            return Scope(node: node, module: module)
        }

        package init(node: Relux, module: ModuleID, handler: Handler? = nil) {
            self.node = node
            self.module = module
            self.handler = handler
        }
    }
}
