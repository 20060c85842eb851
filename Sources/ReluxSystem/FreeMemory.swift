internal import CReluxProcess

/// The memory that the allocator keeps although nothing uses it any more.
package enum FreeMemory {
    /// Gives it back to the system. It holds the allocator's locks, with glibc for some milliseconds: call it at rest, or when much has become free.
    package static func giveBack() { relux_process_trim() }
}
