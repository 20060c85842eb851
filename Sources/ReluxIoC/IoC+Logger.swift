internal import Glibc

extension IoC {
    /// Where a container reports what it refused. Types and reasons only, never values.
    public struct Logger: Sendable {
        private let write: (@Sendable (String) -> Void)?

        /// Writes lines to standard error, or nothing if not enabled.
        public init(enabled: Bool) {
            self.write = enabled ? Self.writeToStandardError : nil
        }

        /// Hands each line to `write`, from whatever thread resolves.
        public init(write: @escaping @Sendable (String) -> Void) {
            self.write = write
        }

        func report(_ error: IoCError) {
            write?(error.description)
        }

        @Sendable private static func writeToStandardError(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
