internal import Glibc

/// Which file a path or a descriptor stands for: another one under the same name has another identity.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Nil when the path names nothing; links are followed.
    package init?(path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        self.init(found)
    }

    /// Nil when the descriptor is not open.
    package init?(descriptor: Int32) {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return nil }
        self.init(found)
    }

    private init(_ found: stat) {
        device = UInt64(found.st_dev)
        number = UInt64(found.st_ino)
    }
}
