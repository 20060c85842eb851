public import ReluxWire

extension Relux {
    /// How a relay codes the snapshots that cross processes.
    public struct SnapshotCoding: Sendable {
        /// Given to the coders, so that secrets are sealed and opened.
        public var userInfo: [CodingUserInfoKey: any Sendable]
        /// Told of each snapshot that could not be coded; the value before it stays the latest that others see.
        public var onFailure: @Sendable (Topic, Failure) -> Void

        public init(
            userInfo: [CodingUserInfoKey: any Sendable] = [:],
            onFailure: @escaping @Sendable (Topic, Failure) -> Void
        ) {
            self.userInfo = userInfo
            self.onFailure = onFailure
        }
    }
}
