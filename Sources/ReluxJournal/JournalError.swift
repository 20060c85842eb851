package import ReluxWire

/// Why a journal could not be opened, read, written or mended.
///
/// The message names the file, the byte position where there is one, the offending value and the remedy.
package struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; its number is stable across releases.
    package enum Code: UInt16, Sendable, Hashable, CaseIterable {
        /// Bytes that were accepted are not what was written. Nothing is changed; `relux journal repair` mends.
        case damaged = 1
        /// Written by a release with another format.
        case otherFormat = 2
        /// A live process holds the lock.
        case locked = 3
        /// No room on the disk. The journal is as before; the same batch may be appended again later.
        case full = 4
        /// The system does not let this user in.
        case denied = 5
        /// Another process has written under this epoch or a later one, or this epoch has sealed the journal; `written` is that epoch.
        case staleEpoch = 6
        /// The epoch on disk has risen above this writer's; it will never write again.
        case fenced = 7
        /// The directory belongs to another module, or holds a segment of another life of the journal.
        case foreign = 8
        /// After a failed sync, or a write that could not be taken back: close it and recover.
        case poisoned = 9
        /// The directory or the segment that is written, or read, was deleted.
        case removed = 10
        /// The caller's runs break a rule (a sequence that does not rise, a batch over the limit); nothing was written.
        case refused = 11
        /// There is no journal here.
        case missing = 12
        /// Any other answer of the system.
        case failed = 13
    }

    package let code: Code
    /// The file or directory that is meant.
    package let file: String
    /// The first byte that is wrong, from the start of the file.
    package let position: UInt64?
    /// The fault, with the value and the limit.
    package let reason: String
    /// The step to take next.
    package let remedy: String
    /// With `staleEpoch`: the epoch that the journal was written under; a writer needs a later one.
    package let written: Epoch?

    /// Whether the disk may take later what it has refused: room, or the right to write, may come back.
    package var mayPass: Bool { code == .full || code == .denied }

    package init(_ code: Code, file: String, position: UInt64? = nil, _ reason: String, remedy: String, written: Epoch? = nil) {
        self.code = code
        self.file = file
        self.position = position
        self.reason = reason
        self.remedy = remedy
        self.written = written
    }

    package var description: String {
        "\(file)\(position.map { ", byte \($0)" } ?? ""): \(reason); \(remedy)"
    }
}
