import ReluxWire

extension Relux {
    /// Dispatches actions and effects in the name of one module.
    ///
    /// Inside one of the module's own handlers its effects carry the handler's cause and deadline, so one dispatcher may be
    /// kept and used everywhere.
    public struct Dispatcher: Sendable {
        enum Target: Sendable {
            /// The running handler's node and module.
            case current
            case fixed(Scope?)
            case node(Relux)
            case module(ModuleID, WeakNode)
        }
        /// The node owns its modules, so what a module keeps must not own the node.
        /// One for all copies of the dispatcher: a copy of a weak reference costs several times as much as one of a reference.
        final class WeakNode: Sendable {
            weak let node: Relux?

            init(node: Relux?) { self.node = node }
        }
        private let target: Target

        init(_ target: Target) { self.target = target }

        /// Dispatches to nobody, and tells the logger: for a test of what dispatches. Such dispatches are successes, flagged `isUnhandled`.
        public init(logger: any Logger) { self.init(.node(Relux(logger: logger))) }

        /// The dispatcher of the running handler; outside any handler every dispatch fails with `noNode`.
        public static let current = Dispatcher(.current)

        /// Where a dispatch stands now; nil when there is no node.
        var scope: Scope? {
            switch target {
            case .current: Scope.current
            case .fixed(let scope): scope
            case .node(let node): Scope.entered(node, node.name)
            case .module(let module, let weak): weak.node.map { Scope.entered($0, module) }
            }
        }

        /// Calls the body with node and origin of something that nobody waits for; nil when there is no node.
        @inline(__always)
        private func loosely<Result>(_ body: (Relux, Scope.Origin) -> Result) -> Result? {
            switch target {
            case .current: Scope.current.map { body($0.node, $0.origin.unawaited(isLoose: true)) }
            case .fixed(let scope): scope.map { body($0.node, $0.origin.unawaited(isLoose: true)) }
            case .node(let node): body(node, Scope.loose(node, node.name))
            case .module(let module, let weak): weak.node.map { body($0, Scope.loose($0, module)) }
            }
        }

        /// Dispatches a batch and returns when it has settled, with the merged results; it never throws.
        ///
        /// - Parameters:
        ///   - delay: waited once before the batch; a caller that is cancelled meanwhile sends nothing, and neither does a module that leaves.
        ///   - awaiting: whose answers are waited for.
        ///   - label: shown by logger and tap.
        @discardableResult
        public nonisolated(nonsending) func actions(
            _ type: ActionsExecutionType = .serially, delay: Duration? = nil, awaiting: Awaiting = .present,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            @ActionsBuilder actions: () -> [any Relux.Action], label: String = ""
        ) async -> ActionResult {
            await dispatch(actions(), type, delay: delay, awaiting: awaiting, label: label, site: Site(fileID, lineNumber, functionName))
        }

        /// A batch of one.
        @discardableResult
        public nonisolated(nonsending) func action(
            delay: Duration? = nil, awaiting: Awaiting = .present,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            action: () -> any Relux.Action, label: String = ""
        ) async -> ActionResult {
            let site = Site(fileID, lineNumber, functionName)
            guard delay == nil, let scope else {
                return await dispatch([action()], .serially, delay: delay, awaiting: awaiting, label: label, site: site)
            }
            return await scope.node.dispatch(action(), in: scope, awaiting: awaiting, label: label, site: site)
        }

        /// Returns at once; the completion gets the result when the batch has settled. Completions of what settles together run one after the
        /// other, so one must not block.
        ///
        /// The batch keeps its cause but nobody waits for it, so it neither counts for cycles nor inherits a deadline.
        /// - Parameter priority: of the task that waits for the delay, and for the parts of a batch; handlers have their own.
        public func performAsync(
            _ type: ActionsExecutionType = .serially, withPriority priority: TaskPriority? = nil, delay: Duration? = nil, awaiting: Awaiting = .present,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            @ActionsBuilder actions: () -> [any Relux.Action], label: String = "",
            completion: (@Sendable (ActionResult) -> Void)? = nil
        ) {
            let batch = actions()
            let site = Site(fileID, lineNumber, functionName)
            // Usually there is nothing to wait for; then its place in the stream is where the caller has put it.
            if delay == nil, batch.count == 1, let kind = EffectKind.of(batch[0]),
                loosely({ $0.dispatchNow(batch[0], kind, from: $1, awaiting: awaiting, label: label, site: site, completion: completion) }) == true
            {
                return
            }
            let scope = loosely { Scope($0, $1) }
            scope?.outlives()
            let dispatcher = Dispatcher(.fixed(scope))
            // Unstructured on purpose: the caller does not wait.
            Task(priority: priority) {
                // It does not belong to the reduction that it may come from.
                let result = await ReductionLock.$current.withValue(nil) {
                    await dispatcher.dispatch(batch, type, delay: delay, awaiting: awaiting, label: label, site: site)
                }
                completion?(result)
            }
        }

        /// The same with the closures in upstream's order.
        public func performAsync(
            _ type: ActionsExecutionType = .serially, withPriority priority: TaskPriority? = nil, delay: Duration? = nil, awaiting: Awaiting = .present,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            @ActionsBuilder actions: () -> [any Relux.Action], completion: @escaping @Sendable (ActionResult) -> Void, label: () -> String
        ) {
            performAsync(
                type, withPriority: priority, delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber,
                actions: actions, label: label(), completion: completion)
        }
    }
}
