internal import Glibc

extension IoC {
    /// Takes the lines of what a container refused, from whatever thread resolves. Types and reasons only, never values.
    public protocol ILogger: Sendable {
        func send(_ line: String)
    }

    /// Writes what a container refused.
    public struct Logger: ILogger {
        private let write: (@Sendable (String) -> Void)?

        /// Writes lines to standard error, or nothing if not enabled.
        public init(enabled: Bool = true) {
            self.write = enabled ? Self.writeToStandardError : nil
        }

        /// Hands each line to `write`, from whatever thread resolves.
        public init(write: @escaping @Sendable (String) -> Void) {
            self.write = write
        }

        public func send(_ line: String) { write?(line) }

        @Sendable private static func writeToStandardError(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
