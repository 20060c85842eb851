import ReluxWire

extension Relux.Dispatcher {
    /// Dispatches one effect and returns when one of its recipients has settled it, or when the limit is over.
    ///
    /// The effect goes to all its recipients like any other; only the waiting differs. A recipient that is slow or stands still holds up nobody
    /// who asks another one. A question has its own limit: it inherits no deadline, and nobody is taken to wait for whoever asks.
    ///
    /// - Parameters:
    ///   - recipient: the recipient whose answer is waited for; nil for all of them.
    ///   - limit: a dispatch that takes longer returns what has been answered so far, with `unanswered` for the rest; longer than the
    ///     node's deadline is allowed.
    ///   - awaiting: whether an answer is waited for from recipients that are known to be absent.
    /// - Returns: outcomes of the recipients that have answered, `parked` for those known to be absent, `lost` for a module that is no recipient, or
    ///   whose process has gone with a transient effect.
    public nonisolated(nonsending) func ask(
        _ effect: any Relux.Effect, of recipient: ModuleID? = nil, upTo limit: Duration, awaiting: Relux.Awaiting = .present,
        fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line, label: String = ""
    ) async -> Relux.ActionResult {
        let site = Relux.Site(fileID, lineNumber, functionName)
        guard let scope else { return Relux.Homeless.refuse([effect], label: label, site: site) }
        let question = scope.asking(.init(recipient: recipient, limit: limit))
        return await scope.node.dispatch(effect, in: question, awaiting: awaiting, label: label, site: site)
    }
}
