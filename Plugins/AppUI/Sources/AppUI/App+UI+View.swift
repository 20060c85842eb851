extension App.UI {
    /// The picture as lines of text.
    @MainActor
    public static func lines(of state: State) -> [String] {
        let owner = state.account.map { account in
            let name = state.displayName ?? account
            return name == account ? account : "\(name) (\(account))"
        }
        let count = state.noteTitles.count
        let notes = state.account == nil ? [] : ["\(count) note\(count == 1 ? "" : "s")\(count == 0 ? "" : ": " + state.noteTitles.joined(separator: ", "))"]
        let stale = state.stale.isEmpty ? [] : ["stale: \(state.stale.joined(separator: ", "))"]
        return [owner ?? "nobody is logged in"] + notes + stale
    }
}
