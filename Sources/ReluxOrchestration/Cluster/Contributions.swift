public import Relux

/// The result of asking all modules for their contributions.
public struct Contributions: Sendable, Hashable {
    /// The actions that were registered.
    public var new: [ActionID] = []
    /// Members that were asked and have not answered, by name: too slow, away, or unable to. What they contribute is not known.
    public var silent: [ModuleID] = []
    /// The silent members that do not come back by themselves, and why.
    public var absent: [ModuleID: String] = [:]

    public init(new: [ActionID] = [], silent: [ModuleID] = [], absent: [ModuleID: String] = [:]) {
        self.new = new
        self.silent = silent
        self.absent = absent
    }
}
