package import ReluxWire

/// Constants of the format; `JournalFormat.md` beside this target describes it byte by byte.
package enum JournalFormat {
    /// The only version so far.
    package static let version: UInt16 = 1
    /// The reserved topic of the journal's own records.
    package static let topic: Topic = "~journal"
    /// The most that one batch may have, in bytes.
    package static let batchByteLimit = 128 << 20
}
