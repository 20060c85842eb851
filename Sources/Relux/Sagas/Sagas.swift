extension Relux {
    /// Does the work that effects ask for, and dispatches what follows. It answers nothing.
    ///
    /// An actor in practice. Two effects may interleave in one saga where it awaits. Effects of one stream reach each saga of a module in their order,
    /// however many sagas it has: the next one begins when all of them have begun with this one. A saga that is bound to a global actor counts as begun
    /// when it asks for that actor's turn.
    public protocol Saga: AnyObject, Sendable {
        func apply(_ effect: any Relux.Effect) async
        /// Whether the effect is this saga's at all; by default it is. Another effect is not offered to it, and it does not answer for it: for
        /// a saga that does one thing beside the module's others.
        nonisolated func takes(_ effect: any Relux.Effect) -> Bool
        /// Where it dispatches; by default the node of the running handler. Tests inject one.
        nonisolated var dispatcher: Relux.Dispatcher { get }
    }

    /// A saga that answers with a result, which travels back to whoever awaits the effect.
    public protocol Flow: Saga {
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult
    }
}

extension Relux.Saga {
    public nonisolated var dispatcher: Relux.Dispatcher { .current }

    /// The ``dispatcher`` where nobody injects another one.
    public static var defaultDispatcher: Relux.Dispatcher { .current }

    public nonisolated func takes(_ effect: any Relux.Effect) -> Bool { true }

    /// `dispatcher.actions`, so that a saga with an injected dispatcher uses it without a word.
    @discardableResult
    public nonisolated(nonsending) func actions(
        _ type: Relux.ActionsExecutionType = .serially, delay: Duration? = nil, awaiting: Relux.Awaiting = .present,
        fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
        @Relux.ActionsBuilder actions: () -> [any Relux.Action], label: String = ""
    ) async -> Relux.ActionResult {
        await dispatcher.actions(
            type, delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber, actions: actions,
            label: label)
    }

    /// `dispatcher.action`: a batch of one.
    @discardableResult
    public nonisolated(nonsending) func action(
        delay: Duration? = nil, awaiting: Relux.Awaiting = .present,
        fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
        action: () -> any Relux.Action, label: String = ""
    ) async -> Relux.ActionResult {
        await dispatcher.action(
            delay: delay, awaiting: awaiting, fileID: fileID, functionName: functionName, lineNumber: lineNumber, action: action,
            label: label)
    }
}

extension Relux.Flow {
    /// The answer of a flow, as upstream spells it: `Relux.Flow.Result`. `Result` alone is Swift's.
    public typealias Result = Relux.ActionResult

    public func apply(_ effect: any Relux.Effect) async {
        let _: Relux.ActionResult = await apply(effect)
    }
}
