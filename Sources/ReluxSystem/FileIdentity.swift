internal import CReluxProcess

/// Which file a path or a descriptor stands for: another one under the same name has another identity.
///
/// Design notes. A file system gives the number of a file that is gone to the next one at once: a database's journal, deleted, and the log beside it that
/// is made right behind it may have the same. The moment of its birth tells them apart, where the file system knows it.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64
    /// Nanoseconds since 1970; 0 where that is not known.
    private let birth: Int64

    /// Nil when the path names nothing; links are followed.
    package init?(path: String) { self.init(-1, path) }

    /// Nil when the descriptor is not open.
    package init?(descriptor: Int32) { self.init(descriptor, nil) }

    private init?(_ descriptor: Int32, _ path: String?) {
        var found = relux_file()
        guard relux_file_find(descriptor, path, &found) == 0 else { return nil }
        (device, number, birth) = (found.device, found.number, found.birth)
    }
}
