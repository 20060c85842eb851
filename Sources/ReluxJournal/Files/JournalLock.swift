import Glibc
package import ReluxWire

/// The right to write a journal: a lock on the file `lock` in its directory, and the epoch that stands in it.
///
///     relux-journal-lock 1\n
///     epoch 00000000000000000007\n
///     pid 0000004711\n
///     boot 5f0c0b1e8d6c4a0f9b1d2e3f4a5b6c7d\n
///     sync failed\n                                  only behind a writer that could not bring its journal to the disk
package final class JournalLock {
    let path: String
    private var file: FileHandle
    private let environment: JournalEnvironment
    /// The content of the file when the lock was taken; nil when it was new or unreadable.
    let earlier: Content?
    /// The epoch that the last check let write, and the bytes of the file then: nearly always it still has them.
    private var lastChecked: (epoch: Epoch, bytes: [UInt8])?

    struct Content {
        var epoch: Epoch
        var pid: Int32
        var bootID: BootID
        /// The writer could not bring something to the disk, and has ended.
        var hasFailedSync = false
    }

    private static let first = "relux-journal-lock 1\nepoch "
    private static let failedSync = "sync failed\n"
    private static let byteCount = first.utf8.count + 20 + 5 + 10 + 6 + 32 + 1

    /// - Throws: `locked` with the holder's pid, `denied`, `full`, `failed`.
    init(directory: String, environment: JournalEnvironment) throws(JournalError) {
        let path = "\(directory)/\(JournalFormat.lockName)"
        let files = environment.files
        // Without the lock's words the journal's own say who may write.
        let file = try JournalError.wrap(path) { () throws(SystemError) in try files.make(path, at: environment.wallMilliseconds()) }
        var isHeld = false
        defer { if !isHeld { files.close(file) } }
        isHeld = try JournalError.wrap(path) { () throws(SystemError) in try files.lock(file) }
        let content = Self.read(file, files)
        guard isHeld else {
            let holder = content.map { "process \($0.pid) (epoch \($0.epoch))" } ?? "another process"
            throw JournalError(
                .locked, file: path, "\(holder) writes this journal", remedy: "end that process first; a journal has one writer")
        }
        self.path = path
        self.file = file
        self.environment = environment
        earlier = content
    }

    /// Whether this process wrote under the epoch last.
    func isOurs(_ epoch: Epoch) -> Bool {
        earlier.map { $0.epoch == epoch && $0.pid == environment.processID && $0.bootID == environment.bootID } ?? false
    }

    /// Writes this process and its epoch: from here on a lower epoch is refused and a writer of one is fenced. A failed sync is mended by now.
    func claim(_ epoch: Epoch) throws(JournalError) {
        let pid = Self.digits(UInt64(max(0, environment.processID)), 10)
        let text = Array((Self.first + Self.digits(epoch.rawValue, 20) + "\npid \(pid)\nboot \(environment.bootID)\n").utf8)
        try JournalError.wrap(path) { () throws(SystemError) in
            try environment.files.writeAll(file, at: 0, text[...])
            if earlier?.hasFailedSync == true { try environment.files.truncate(file, byteCount: Self.byteCount) }
        }
    }

    /// Notes a failed sync: what is in the system's memory may not be on the disk although the system takes it to be, so the next writer writes it
    /// again. When not even this note can be written, nothing will be that comes later.
    func noteFailedSync() { try? environment.files.writeAll(file, at: Self.byteCount, Array(Self.failedSync.utf8)[...]) }

    /// Whether the epoch may still write.
    ///
    /// - Throws: `fenced`, `removed`, `failed`.
    func check(_ epoch: Epoch) throws(JournalError) {
        let files = environment.files
        let facts = try JournalError.wrap(path) { () throws(SystemError) in try files.facts(file) }
        guard facts.links > 0 else {
            throw JournalError(
                .removed, file: path, "the lock file was deleted under its writer", remedy: "end this process; the next one begins a new incarnation")
        }
        // A note behind it is for the next writer.
        let bytes = try? files.read(file, at: 0, count: Self.byteCount)
        if let lastChecked, lastChecked.epoch == epoch, lastChecked.bytes == bytes { return }
        guard let bytes, let content = Self.parse(bytes) else {
            throw JournalError(.fenced, file: path, position: 0, "the lock file does not say who may write", remedy: "end this process and start the module again")
        }
        guard content.epoch <= epoch else {
            throw JournalError(
                .fenced, file: path, "epoch \(content.epoch) has taken over from epoch \(epoch)", remedy: "end this process; it will never write again")
        }
        lastChecked = (epoch, bytes)
    }

    /// Looks whether the next writer would find this lock, for a writer whose journal is in its place. Where its file alone was taken away, or
    /// something else lies there, it is made again.
    ///
    /// - Throws: `fenced` when another process has come into its place; `denied`, `full`, `failed`.
    func hold(_ epoch: Epoch) throws(JournalError) {
        let files = environment.files
        let (own, found) = try JournalError.wrap(path) { () throws(SystemError) in (try files.facts(file), try files.facts(of: path)) }
        guard own.identity != found?.identity else { return }
        let fresh = try JournalError.wrap(path) { () throws(SystemError) in try files.make(path, at: environment.wallMilliseconds()) }
        var (old, isHeld) = (fresh, false)
        defer { files.close(old) }
        isHeld = try JournalError.wrap(path) { () throws(SystemError) in try files.lock(fresh) }
        let content = Self.read(fresh, files)
        guard isHeld, content.map({ $0.epoch <= epoch }) ?? true else {
            throw JournalError(
                .fenced, file: path, "\(content.map { "process \($0.pid) (epoch \($0.epoch))" } ?? "another process") has taken over from epoch \(epoch)",
                remedy: "end this process; it will never write again")
        }
        (old, file) = (file, fresh)
        files.unlock(old)
        lastChecked = nil
        try claim(epoch)
    }

    deinit {
        // Closing alone would leave the lock to a child that is just between fork and exec.
        environment.files.unlock(file)
        environment.files.close(file)
    }

    /// Raises the epoch of a journal whose writer may be alive: it is refused at its next append, or where that trusts an earlier
    /// look (`JournalOptions.lockPatience`) soon after. Does not wait for it, and takes no lock.
    ///
    /// - Throws: `missing`, `staleEpoch` when the journal is further already, `denied`, `failed`.
    package static func fence(directory: String, epoch: Epoch, environment: JournalEnvironment) throws(JournalError) {
        let path = "\(directory)/\(JournalFormat.lockName)"
        let files = environment.files
        let file = try JournalError.wrap(path) { () throws(SystemError) in try files.open(path, .readWrite) }
        defer { files.close(file) }
        if let content = read(file, files), content.epoch > epoch {
            throw JournalError(.staleEpoch, file: path, "epoch \(epoch) cannot fence epoch \(content.epoch)", remedy: "ask the broker for a new epoch")
        }
        let text = Array(digits(epoch.rawValue, 20).utf8)
        try JournalError.wrap(path) { () throws(SystemError) in try files.writeAll(file, at: first.utf8.count, text[...]) }
    }

    /// As ``noteFailedSync()``, by somebody who has read the journal of a writer that is gone, and has tried to bring it to the disk.
    static func noteFailedSync(directory: String, environment: JournalEnvironment) {
        let files = environment.files
        guard let file = try? files.open("\(directory)/\(JournalFormat.lockName)", .readWrite) else { return }
        defer { files.close(file) }
        guard read(file, files) != nil else { return }
        try? files.writeAll(file, at: byteCount, Array(failedSync.utf8)[...])
    }

    /// The process that holds the lock of a journal now, and its epoch; nil when there is no lock file, or nothing in it.
    static func content(directory: String, environment: JournalEnvironment) -> Content? {
        let files = environment.files
        guard let file = try? files.open("\(directory)/\(JournalFormat.lockName)", .read) else { return nil }
        defer { files.close(file) }
        return read(file, files)
    }

    /// The epoch of the last writer; nil when there was none.
    ///
    /// - Throws: `denied`, `failed`; `damaged` when the file says nothing that can be understood.
    static func epoch(directory: String, environment: JournalEnvironment) throws(JournalError) -> Epoch? {
        let path = "\(directory)/\(JournalFormat.lockName)"
        let files = environment.files
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try files.open(path, .read)
            defer { files.close(file) }
            bytes = try files.read(file, at: 0, count: byteCount)
        } catch {
            if error.call == .open, error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw JournalError(error, file: path, isReading: true)
        }
        // Made, and not written yet.
        if bytes.isEmpty { return nil }
        guard let content = parse(bytes) else {
            throw JournalError(
                .damaged, file: path, position: 0, "it does not say who has written this journal last",
                remedy: "delete the file: a journal without a segment has nothing that could be lost")
        }
        return content.epoch
    }

    private static func read(_ file: FileHandle, _ files: any FileSystem) -> Content? {
        (try? files.read(file, at: 0, count: byteCount + failedSync.utf8.count)).flatMap(parse)
    }

    private static func parse(_ bytes: [UInt8]) -> Content? {
        guard bytes.count >= byteCount, bytes.starts(with: first.utf8) else { return nil }
        let rest = String(decoding: bytes[first.utf8.count..<byteCount], as: UTF8.self).split(separator: "\n")
        guard rest.count == 3, let epoch = UInt64(rest[0]), rest[1].hasPrefix("pid "), let pid = Int32(rest[1].dropFirst(4)),
            rest[2].hasPrefix("boot "), let bootID = BootID(parsing: String(rest[2].dropFirst(5)))
        else { return nil }
        return Content(
            epoch: Epoch(epoch), pid: pid, bootID: bootID, hasFailedSync: bytes.dropFirst(byteCount).elementsEqual(failedSync.utf8))
    }

    private static func digits(_ number: UInt64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension FileSystem {
    /// Opens a file that is made when it is not there. What lies in its place and is no file is set aside.
    func make(_ path: String, at milliseconds: UInt64) throws(SystemError) -> FileHandle {
        do throws(SystemError) { return try open(path, .create) } catch where [EISDIR, ESPIPE, ENXIO, ELOOP].contains(error.number) {
            _ = try setAside(path, to: "\(path).replaced-\(milliseconds)")
            return try open(path, .create)
        }
    }

    /// Renames what lies there, and replaces nothing: where the new name is taken, a number follows it. Returns the name.
    func setAside(_ path: String, to other: String) throws(SystemError) -> String {
        let free = try freeName(other)
        try rename(path, to: free)
        return free
    }

    func freeName(_ path: String) throws(SystemError) -> String {
        var (free, count) = (path, 1)
        while try facts(of: free) != nil {
            free = "\(path)-\(count)"
            count += 1
        }
        return free
    }

    /// Goes on after a short write.
    func writeAll(_ file: FileHandle, at offset: Int, _ bytes: ArraySlice<UInt8>) throws(SystemError) {
        var start = bytes.startIndex
        while start < bytes.endIndex { start += try write(file, at: offset + start - bytes.startIndex, bytes[start...]) }
    }
}
