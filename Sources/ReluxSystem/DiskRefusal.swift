import Glibc

/// Errors of a write that the disk may take later.
package enum DiskRefusal {
    /// - Returns: true when room or the right to write can come back without a change in the process: the disk or the quota is full, the file system is
    ///   read-only now, or the directory has lost the permission to write.
    package static func mayPass(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EROFS, EACCES, EPERM].contains(number) }
}
