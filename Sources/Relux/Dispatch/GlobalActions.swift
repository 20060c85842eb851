/// Dispatches a batch in the node of the running handler and returns when every recipient has settled it.
///
/// Outside a handler there is no node to find: the result then is a failure that names the `dispatcher` as the remedy.
@discardableResult
public nonisolated(nonsending) func actions(
    _ type: Relux.ActionsExecutionType = .serially, delay: Duration? = nil, awaiting: Relux.Awaiting = .present,
    fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
    @Relux.ActionsBuilder actions: () -> [any Relux.Action], label: String = ""
) async -> Relux.ActionResult {
    await Relux.Dispatcher.current.actions(
        type, delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber, actions: actions,
        label: label)
}

/// Dispatches one action; see ``actions(_:delay:awaiting:fileID:functionName:lineNumber:actions:label:)``.
@discardableResult
public nonisolated(nonsending) func action(
    delay: Duration? = nil, awaiting: Relux.Awaiting = .present,
    fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
    action: () -> any Relux.Action, label: String = ""
) async -> Relux.ActionResult {
    await Relux.Dispatcher.current.action(
        delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber, action: action, label: label)
}

/// Dispatches a batch without waiting; the completion gets the result.
public func performAsync(
    _ type: Relux.ActionsExecutionType = .serially, withPriority priority: TaskPriority? = nil, delay: Duration? = nil,
    awaiting: Relux.Awaiting = .present,
    fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
    @Relux.ActionsBuilder actions: () -> [any Relux.Action], label: String = "",
    completion: (@Sendable (Relux.ActionResult) -> Void)? = nil
) {
    Relux.Dispatcher.current.performAsync(
        type, withPriority: priority, delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber,
        actions: actions, label: label, completion: completion)
}

/// The same with the closures in upstream's order.
public func performAsync(
    _ type: Relux.ActionsExecutionType = .serially, withPriority priority: TaskPriority? = nil, delay: Duration? = nil,
    awaiting: Relux.Awaiting = .present,
    fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
    @Relux.ActionsBuilder actions: () -> [any Relux.Action], completion: @escaping @Sendable (Relux.ActionResult) -> Void, label: () -> String
) {
    Relux.Dispatcher.current.performAsync(
        type, withPriority: priority, delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber,
        actions: actions, label: label(), completion: completion)
}
