internal import Foundation

/// A directory for one test, with a path that is short enough for sockets below it.
///
/// It goes with the value, which has to live as long as the path is used: keep it as the test's property, or in the scope that uses it.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// - Parameter isMade: false where the code under test makes it. A test cannot go on without it, so what the system refuses is fatal.
    public init(isMade: Bool = false) {
        path = "/tmp/relux-" + UUID().uuidString.prefix(13)
        guard isMade else { return }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            fatalError("\(path) cannot be made: \(error)")
        }
    }

    public var exists: Bool { FileManager.default.fileExists(atPath: path) }

    public func file(_ name: String) -> String { path + "/" + name }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
