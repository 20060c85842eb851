extension Relux {
    /// A fact that reducers apply to their states. It reaches states only and never leaves its node.
    public protocol Action: Sendable {}
}
