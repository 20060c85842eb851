extension Relux.ActionResult {
    /// A failure that has no more to say.
    public static let failure = failure(
        Relux.Failure(domain: Relux.Failure.domainName, code: "failed", message: "the flow answered .failure and no reason; answer .failure(error)"))

    /// A success with one of several values, found again by ``value(_:for:)``; ``merge(_:)`` joins them.
    public static func success(_ value: some Codable & Sendable, for key: String) -> Self {
        Self(outcomes: [Outcome(recipient: .own(key), status: .succeeded, value: .init(value))])
    }

    /// The value that a flow has answered under this key, of the first flow by name.
    public func value<T: Codable & Sendable>(_ type: T.Type = T.self, for key: String) -> T? {
        var found = self
        found.outcomes.removeAll { !$0.recipient.isKeyed(by: key) }
        return found.value(type)
    }

    /// `if case .success = result`, `case .failure:`; what a success carries is not looked at.
    public static func ~= (pattern: Self, result: Self) -> Bool { pattern.isSuccess == result.isSuccess }
}

extension Relux.ActionResult.Recipient {
    /// Placeholder in a result that a flow has made; the runtime files it under the flow's own name, with the key behind it.
    static func own(_ key: String = "") -> Self { Self(module: "caller", handler: key.isEmpty ? "" : "#" + key) }

    /// The name under which an outcome of this recipient is filed when `answered` has made it.
    func filed(_ answered: Self) -> Self {
        guard answered.module == "caller", !answered.handler.isEmpty else { return self }
        return Self(module: module, handler: handler + answered.handler)
    }

    func isKeyed(by key: String) -> Bool {
        // No type's path has the mark.
        guard let mark = handler.firstIndex(of: "#") else { return false }
        return handler[handler.index(after: mark)...] == key
    }
}
