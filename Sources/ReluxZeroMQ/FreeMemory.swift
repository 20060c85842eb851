internal import CReluxProcess

/// What the allocator keeps of memory that nothing uses any more.
package enum FreeMemory {
    /// Gives it back to the system. It holds the allocator's locks for some milliseconds, so call it only when much has become free.
    package static func giveBack() { relux_process_trim() }
}
