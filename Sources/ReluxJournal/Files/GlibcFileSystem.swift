internal import CReluxProcess
import Glibc

/// The real disk.
package struct GlibcFileSystem: FileSystem {
    package init() {}

    package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileHandle {
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT
            }
        // O_NONBLOCK: a named pipe in a file's place would wait for its other end; a file knows no difference.
        let file = FileHandle(rawValue: try Self.call(.open) { Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600) })
        do throws(SystemError) {
            var found = stat()
            _ = try Self.call(.stat) { fstat(file.rawValue, &found) }
            switch found.st_mode & S_IFMT {
            case S_IFREG: return file
            case S_IFDIR: throw SystemError(.open, EISDIR)
            default: throw SystemError(.open, ESPIPE)
            }
        } catch {
            close(file)
            throw error
        }
    }

    package func close(_ file: FileHandle) {
        // Not repeated when interrupted: the descriptor is gone all the same.
        _ = Glibc.close(file.rawValue)
    }

    package func read(_ file: FileHandle, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(file.rawValue, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = SystemError(.read, errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    package func write(_ file: FileHandle, at offset: Int, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = try Self.call(.write) {
            bytes.withUnsafeBytes { Int32(clamping: pwrite(file.rawValue, $0.baseAddress, $0.count, off_t(offset))) }
        }
        guard count > 0 else { throw SystemError(.write, ENOSPC) }
        return Int(count)
    }

    package func allocate(_ file: FileHandle, byteCount: Int) throws(SystemError) {
        // On a disk that cannot reserve, the C library writes the zeros itself.
        let failure = posix_fallocate(file.rawValue, 0, off_t(byteCount))
        guard failure == 0 else { throw SystemError(.allocate, failure) }
    }

    package func truncate(_ file: FileHandle, byteCount: Int) throws(SystemError) {
        _ = try Self.call(.truncate) { ftruncate(file.rawValue, off_t(byteCount)) }
    }

    package func clear(_ file: FileHandle, from offset: Int, to end: Int) throws(SystemError) {
        guard offset < end else { return }
        do throws(SystemError) {
            _ = try Self.call(.truncate) { relux_punch_hole(file.rawValue, Int64(offset), Int64(end - offset)) }
        } catch where error.number == EOPNOTSUPP || error.number == ENOSYS {
            // A disk without holes: between the two the file is short, and a death just then leaves what looks cut.
            try truncate(file, byteCount: offset)
            try truncate(file, byteCount: end)
        }
    }

    package func room(at path: String) throws(SystemError) -> Int {
        var facts = Glibc.statvfs()
        _ = try Self.call(.statvfs) { statvfs(path, &facts) }
        return Int(clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
    }

    package func sync(_ file: FileHandle) throws(SystemError) {
        // Never repeated, not even here: see fsync(2) about errors that are reported once.
        guard fdatasync(file.rawValue) == 0 else { throw SystemError(.sync, errno) }
    }

    package func syncDirectory(_ path: String) throws(SystemError) {
        let descriptor = try Self.call(.open) { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { _ = Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError(.sync, errno) }
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try Self.call(.lock) { flock(file.rawValue, LOCK_EX | LOCK_NB) }
            return true
        } catch where error.number == EWOULDBLOCK {
            return false
        }
    }

    package func unlock(_ file: FileHandle) { _ = flock(file.rawValue, LOCK_UN) }

    package func facts(_ file: FileHandle) throws(SystemError) -> FileFacts {
        var found = stat()
        _ = try Self.call(.stat) { fstat(file.rawValue, &found) }
        return FileFacts(found)
    }

    package func facts(of path: String) throws(SystemError) -> FileFacts? {
        var found = stat()
        do throws(SystemError) {
            _ = try Self.call(.stat) { lstat(path, &found) }
            return FileFacts(found)
        } catch where error.number == ENOENT || error.number == ENOTDIR {
            return nil
        }
    }

    package func list(_ directory: String) throws(SystemError) -> [String]? {
        guard let stream = opendir(directory) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError(.list, errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // The only sign of a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(.list, errno) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    package func rename(_ path: String, to other: String) throws(SystemError) {
        _ = try Self.call(.rename) { Glibc.rename(path, other) }
    }

    package func remove(_ path: String) throws(SystemError) {
        _ = try Self.call(.remove) { Glibc.remove(path) }
    }

    package func makeDirectory(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try Self.call(.mkdir) { mkdir(path, 0o700) }
        } catch where error.number == EEXIST {
            guard try facts(of: path)?.isDirectory == true else { throw SystemError(.mkdir, ENOTDIR) }
        }
    }

    /// Again when a signal came in between.
    private static func call(_ call: SystemError.Call, _ body: () -> Int32) throws(SystemError) -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            if errno != EINTR { throw SystemError(call, errno) }
        }
    }
}

extension FileFacts {
    fileprivate init(_ found: stat) {
        self.init(
            byteCount: Int(found.st_size), allocated: Int(found.st_blocks) * 512, links: Int(found.st_nlink),
            modified: Int64(found.st_mtim.tv_sec) * 1_000_000_000 + Int64(found.st_mtim.tv_nsec),
            isDirectory: found.st_mode & S_IFMT == S_IFDIR, identity: UInt64(found.st_ino))
    }
}

extension JournalEnvironment {
    /// This process on this machine.
    ///
    /// - Throws: `failed` when the system has no boot id.
    package static func live() throws(JournalError) -> JournalEnvironment {
        let path = "/proc/sys/kernel/random/boot_id"
        let files = GlibcFileSystem()
        let file = try JournalError.wrap(path, isReading: true) { () throws(SystemError) in try files.open(path, .read) }
        defer { files.close(file) }
        let bytes = try JournalError.wrap(path) { () throws(SystemError) in try files.read(file, at: 0, count: 64) }
        let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        guard let bootID = BootID(parsing: text) else {
            throw JournalError(.failed, file: path, "'\(text)' is no boot id", remedy: "mount /proc")
        }
        let (wall, start) = (milliseconds(CLOCK_REALTIME), milliseconds(CLOCK_BOOTTIME))
        return JournalEnvironment(
            files: files, bootID: bootID, processID: getpid(), wallMilliseconds: { milliseconds(CLOCK_REALTIME) },
            steadyMilliseconds: { wall + milliseconds(CLOCK_BOOTTIME) - start }, random: { UInt64.random(in: 1...UInt64.max) })
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return UInt64(max(0, now.tv_sec)) * 1000 + UInt64(now.tv_nsec) / 1_000_000
    }
}
