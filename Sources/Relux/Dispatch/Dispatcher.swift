import ReluxWire

extension Relux {
    /// Dispatches actions and effects in the name of one module.
    public struct Dispatcher: Sendable {
        /// nil for ``current`` outside any node: every dispatch then fails with `noNode`.
        let scope: Scope?

        init(scope: Scope?) { self.scope = scope }

        init(node: Relux, module: ModuleID) {
            // Inside one of the module's own handlers the cause is kept.
            let current = Scope.current
            let isOwn = current?.node === node && current?.module == module
            scope = isOwn ? current : Scope(node: node, module: module)
        }

        /// That of the running handler.
        public static var current: Dispatcher { Dispatcher(scope: Scope.current) }

        /// Dispatches a batch and returns when it has settled, with the merged results; it never throws.
        ///
        /// - Parameters:
        ///   - delay: waited once before the batch; a caller that is cancelled meanwhile sends nothing.
        ///   - label: shown by logger and tap.
        @discardableResult
        public nonisolated(nonsending) func actions(
            _ type: ActionsExecutionType = .serially, delay: Duration? = nil,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            @ActionsBuilder actions: () -> [any Relux.Action], label: String = ""
        ) async -> ActionResult {
            await dispatch(
                actions(), type, delay: delay, label: label,
                site: Site(file: "\(fileID)", line: lineNumber, function: "\(functionName)"))
        }

        /// A batch of one.
        @discardableResult
        public nonisolated(nonsending) func action(
            delay: Duration? = nil,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            action: () -> any Relux.Action, label: String = ""
        ) async -> ActionResult {
            await dispatch(
                [action()], .serially, delay: delay, label: label,
                site: Site(file: "\(fileID)", line: lineNumber, function: "\(functionName)"))
        }

        /// Returns at once; the completion gets the result when the batch has settled.
        ///
        /// The batch keeps its cause but nobody waits for it, so it neither counts for cycles nor inherits a deadline.
        public func performAsync(
            _ type: ActionsExecutionType = .serially, delay: Duration? = nil,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            @ActionsBuilder actions: () -> [any Relux.Action], label: String = "",
            completion: (@Sendable (ActionResult) -> Void)? = nil
        ) {
            let batch = actions()
            let site = Site(file: "\(fileID)", line: lineNumber, function: "\(functionName)")
            var loose = scope
            loose?.handler?.isAwaited = false
            let dispatcher = Dispatcher(scope: loose)
            // Unstructured on purpose: the caller does not wait.
            Task {
                let result = await dispatcher.dispatch(batch, type, delay: delay, label: label, site: site)
                completion?(result)
            }
        }
    }
}
