package import ReluxWire

/// One thing in which the cluster's file and the registry differ, and what would end it.
package struct MembershipDifference: Codable, Sendable, Hashable {
    package enum Step: Codable, Sendable, Hashable {
        /// Nothing that follows from the file; the text says what a person can do.
        case none
        /// The file has it more.
        case load(HostSpec)
        /// The file has it less.
        case unload(ModuleID)
        case move(ModuleID, to: HostID)
        /// A host's environment, executable or restart is another one; it restarts with the file's.
        case configure(HostSpec)
    }
    /// One sentence: what is so, or what a start makes of it, and what can be done.
    package var text: String
    package var step: Step
    /// The module, where the text is of a build that is packed or started and does not serve.
    package var unserved: ModuleID?

    package init(_ text: String, step: Step = .none, unserved: ModuleID? = nil) {
        self.text = text
        self.step = step
        self.unserved = unserved
    }
}
