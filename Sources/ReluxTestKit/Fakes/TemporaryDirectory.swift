internal import Foundation

/// A directory that goes with the test.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// - Parameter isMade: false where the code under test makes it.
    public init(isMade: Bool = false) {
        path = URL(fileURLWithPath: NSTemporaryDirectory()).path + "/relux-" + UUID().uuidString.prefix(13)
        if isMade { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]) }
    }

    public var exists: Bool { FileManager.default.fileExists(atPath: path) }

    public func file(_ name: String) -> String { path + "/" + name }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
