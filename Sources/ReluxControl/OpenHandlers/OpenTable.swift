import Glibc
package import Relux
import ReluxSystem
import Synchronization

/// Which handlers of a module run at this moment, in a file that survives a `kill -9` of the process.
///
/// Design notes. The file is mapped and its pages are the kernel's, so a store is kept whatever becomes of the process; what is lost with
/// the machine is told by the boot id. A slot counts from the moment its run number is stored, which is last and in one
/// piece; it is cleared in one piece too. The blocks are reserved when the file is made: a store into a hole of a full disk
/// would be a fatal signal. One module has one table; the journal's lock keeps a second writer away.
package final class OpenTable: Relux.OpenHandlers {
    private struct Slots {
        var free: [Int] = Array((0..<OpenTableFormat.slotCount).reversed())
        var taken: [UInt64: Int] = [:]
        var unnoted: UInt64 = 0
    }
    private let slots = Mutex(Slots())
    // Only written under `slots`, and never unmapped before the last reference is gone.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let path: String
    private let fresh: String

    /// Makes an empty table beside the old one: read the old table, journal what it says, then ``takePlace()``.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the instance that will write.
    ///   - boot: the machine's boot id, sixteen bytes.
    /// - Throws: `system` with the step and `errno`.
    package init(path: String, epoch: Epoch, boot: [UInt8]) throws(OpenTableError) {
        self.path = path
        fresh = path + ".new"
        // A new table that never took its place may still be mapped.
        FilePlace.clear(fresh)
        unlink(fresh)
        let descriptor = Glibc.open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system("making", fresh, errno) }
        defer { Glibc.close(descriptor) }
        let failure = posix_fallocate(descriptor, 0, off_t(OpenTableFormat.byteCount))
        guard failure == 0 else {
            unlink(fresh)
            throw .system("reserving the space", fresh, failure)
        }
        let mapped = mmap(nil, OpenTableFormat.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else {
            let code = errno
            unlink(fresh)
            throw .system("mapping", fresh, code)
        }
        let header = OpenTableFormat.header(epoch: epoch, boot: boot, pid: getpid())
        mapped.copyMemory(from: header, byteCount: OpenTableFormat.headerByteCount)
        base = mapped
    }

    deinit { munmap(base, OpenTableFormat.byteCount) }

    /// From here on this one is the module's table; what the one before said is gone.
    ///
    /// - Throws: `system`; the old table is as it was.
    package func takePlace() throws(OpenTableError) {
        FilePlace.clear(path)
        guard rename(fresh, path) == 0 else { throw .system("naming", path, errno) }
    }

    /// The journal is about to say what this table of a past life says, or could not; a life that is set up again does not say it twice.
    ///
    /// - Throws: `system`.
    package static func noteJournaled(_ path: String, _ isJournaled: Bool = true) throws(OpenTableError) {
        try mark(path, isJournaled ? OpenTableFormat.journaled : 0)
    }

    private static func mark(_ path: String, _ mark: UInt64) throws(OpenTableError) {
        var mark = mark
        let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("opening", path, errno) }
        defer { Glibc.close(descriptor) }
        guard pwrite(descriptor, &mark, 8, off_t(OpenTableFormat.markOffset)) == 8 else { throw .system("marking", path, errno) }
    }

    /// The contents of the table that the last life has left; nil when there is no table.
    ///
    /// - Throws: `damaged` or `system`, naming the file.
    package static func contents(of path: String) throws(OpenTableError) -> OpenTableFormat.Contents? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw .system("opening", path, errno) }
        defer { Glibc.close(descriptor) }
        // One byte more than there should be: a longer file is no table.
        var bytes = [UInt8](repeating: 0, count: OpenTableFormat.byteCount + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .system("reading", path, errno) }
            if read == 0 { break }
            count += read
        }
        do throws(OpenTableError) {
            return try OpenTableFormat.decode(Array(bytes.prefix(count)))
        } catch {
            throw error.naming(path)
        }
    }

    /// The process ends for a reason that no handler has: its tables say so from now on, or are gone. Those of other processes stay as they are.
    ///
    /// Looks at headers only, and passes over what it cannot read; for the moment before `_exit`.
    package static func acquitAll(in directory: String, of pid: Int32 = getpid()) {
        guard let folder = opendir(directory) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard name.hasSuffix(RunDirectory.openTableSuffix) else { continue }
            let path = "\(directory)/\(name)"
            if writer(of: path) == pid, (try? mark(path, OpenTableFormat.innocent)) == nil { unlink(path) }
        }
    }

    /// nil of what is no table.
    private static func writer(of path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: OpenTableFormat.headerByteCount)
        guard read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        return OpenTableFormat.writer(inHeader: bytes)
    }

    // MARK: OpenHandlers

    package func began(run: UInt64, effect: EffectID?, isCharged: Bool) {
        slots.withLock { slots in
            guard let effect, let slot = slots.free.popLast() else {
                slots.unnoted += 1
                return store(slots.unnoted, at: OpenTableFormat.unnotedOffset)
            }
            slots.taken[run] = slot
            let start = OpenTableFormat.offset(ofSlot: slot)
            let body = OpenTableFormat.body(of: effect, isCharged: isCharged)
            (base + start + OpenTableFormat.positionOffset).copyMemory(from: body, byteCount: body.count)
            store(run, at: start)
        }
    }

    package func released(run: UInt64) {
        slots.withLock { slots in
            guard let slot = slots.taken[run] else { return }
            (base + OpenTableFormat.offset(ofSlot: slot) + OpenTableFormat.trialOffset).storeBytes(of: OpenTableFormat.released, as: UInt8.self)
        }
    }

    package func ended(run: UInt64) {
        slots.withLock { slots in
            guard let slot = slots.taken.removeValue(forKey: run) else {
                slots.unnoted -= min(1, slots.unnoted)
                return store(slots.unnoted, at: OpenTableFormat.unnotedOffset)
            }
            store(0, at: OpenTableFormat.offset(ofSlot: slot))
            slots.free.append(slot)
        }
    }

    /// In one piece, behind all that was written before. The offset is a multiple of eight in a page-aligned mapping.
    private func store(_ number: UInt64, at offset: Int) {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(number, ordering: .releasing)
    }
}
