extension Relux {
    /// Where in the source a dispatch stands.
    public struct Site: Sendable, Hashable {
        public var file: String
        public var line: UInt
        public var function: String
        public init(file: String, line: UInt, function: String) {
            self.file = file
            self.line = line
            self.function = function
        }
    }
}
