import Glibc
import ReluxSystem
import ReluxWire

/// The registry's one small file. A reader sees the old content or the new one, never a mixture, also after power loss.
///
///     | format, u32 | crc32c of the body, u32 | length of the body, u64 | body: CBOR of a RegistrySnapshot |
///
/// All numbers are big-endian. One process writes at a time: the broker that holds the ``RegistryLock``.
package struct RegistryFile: Sendable {
    package static let format: UInt32 = 1
    /// 1,000 modules need about half a megabyte.
    package static let byteLimit = 256 << 20
    private static let headerLength = 16

    package let path: String
    /// The folder that it belongs in; nil for whichever lies there. In a folder that took its place the registry is another's.
    private let folder: FileIdentity?

    /// - Parameter isAnchored: writes go only to the folder that lies there now, wherever it is moved.
    package init(path: String, isAnchored: Bool = false) {
        self.path = path
        folder = isAnchored ? FileIdentity(path: Self.folder(of: path)) : nil
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// The snapshot that was written last; nil if there is no file.
    /// - Throws: `unreadable`, `damaged`, `newer`.
    package func read() throws(RegistryFileError) -> RegistrySnapshot? {
        guard let bytes = try contents() else { return nil }
        // The format comes before everything else, so that a newer file is called newer and not damaged.
        guard bytes.count >= 4 else { throw damaged(at: bytes.count, "the file ends within the format number") }
        let format = UInt32(number(bytes, at: 0, length: 4))
        guard format <= Self.format else {
            throw RegistryFileError(
                .newer,
                "\(path) at byte 0: format \(format), this broker reads up to \(Self.format). Start the newer relux-broker"
                    + " again, or move the file away to begin without members")
        }
        guard format == Self.format else { throw damaged(at: 0, "\(format) was never a format number") }
        guard bytes.count >= Self.headerLength else { throw damaged(at: bytes.count, "the file ends within the header") }
        let length = number(bytes, at: 8, length: 8)
        guard length == UInt64(bytes.count - Self.headerLength) else {
            throw damaged(
                at: 8, "the header names a body of \(length) bytes, there are \(bytes.count - Self.headerLength)")
        }
        let body = Array(bytes[Self.headerLength...])
        guard UInt64(CRC32C.checksum(body[...])) == number(bytes, at: 4, length: 4) else {
            throw damaged(at: Self.headerLength, "the body's checksum is not the header's")
        }
        do {
            return try CBOR.decode(RegistrySnapshot.self, from: body)
        } catch {
            throw damaged(at: Self.headerLength, error.message)
        }
    }

    /// Replaces the content and returns when it is durable.
    /// - Throws: `unwritable`; the former content still stands.
    package func write(_ snapshot: RegistrySnapshot) throws(RegistryFileError) {
        let body: [UInt8]
        do {
            body = try CBOR.encode(snapshot)
        } catch {
            throw RegistryFileError(.unwritable, "\(path): the registry could not be coded: \(error.message)")
        }
        var bytes = bigEndian(UInt64(Self.format), length: 4)
        bytes += bigEndian(UInt64(CRC32C.checksum(body[...])), length: 4)
        bytes += bigEndian(UInt64(body.count), length: 8)
        bytes += body
        let descriptor = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unwritable("open of its folder") }
        defer { close(descriptor) }
        if let folder, FileIdentity(descriptor: descriptor) != folder {
            throw RegistryFileError(.unwritable, "\(path): another folder has taken the place of the one in which it lay; nothing is written there", mayPass: true)
        }
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        try create(name + ".new", in: descriptor, bytes)
        // The writer knows all that a file there could say.
        FilePlace.clear(path)
        guard renameat(descriptor, name + ".new", descriptor, name) == 0 else { throw unwritable("rename of \(path).new") }
        // The rename itself lives in the folder.
        guard fsync(descriptor) == 0 else { throw unwritable("fsync of its folder") }
    }

    /// Whether nothing lies there: it was never written, or was taken away.
    package var isMissing: Bool {
        var found = stat()
        return lstat(path, &found) != 0 && errno == ENOENT
    }

    // MARK: System calls

    private func contents() throws(RegistryFileError) -> [UInt8]? {
        if let stranger = FilePlace.stranger(path) {
            throw RegistryFileError(
                .damaged,
                "\(path) is \(stranger), and the registry's file belongs there. Move it away and bring the file back from a copy, or begin without members")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable("open")
        }
        defer { close(descriptor) }
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { throw unreadable("stat") }
        // Put there since.
        guard found.st_mode & S_IFMT == S_IFREG else { throw damaged(at: 0, "it is no file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw unreadable("read at byte \(bytes.count)")
            }
            bytes += chunk[..<count]
            guard bytes.count <= Self.byteLimit else {
                throw damaged(at: Self.byteLimit, "it is longer than \(Self.byteLimit) bytes")
            }
        }
    }

    private func create(_ name: String, in folder: Int32, _ bytes: [UInt8]) throws(RegistryFileError) {
        let temporary = path + ".new"
        FilePlace.clear(temporary)
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw unwritable("open of \(temporary)") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                throw unwritable("write to \(temporary) at byte \(written)")
            }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw unwritable("fsync of \(temporary)") }
    }

    // MARK: Numbers and errors

    private func number(_ bytes: [UInt8], at position: Int, length: Int) -> UInt64 {
        bytes[position..<position + length].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func bigEndian(_ number: UInt64, length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private func damaged(at position: Int, _ what: String) -> RegistryFileError {
        RegistryFileError(
            .damaged,
            "\(path) at byte \(position): \(what). Restore it from a copy, or move it away to begin without members;"
                + " hosts that run say hello again with their epochs")
    }

    private func unreadable(_ call: String) -> RegistryFileError {
        RegistryFileError(
            .unreadable, "\(path): \(call) failed: \(reason()). Give the broker's user the right to read it")
    }

    private func unwritable(_ call: String) -> RegistryFileError {
        let mayPass = DiskRefusal.mayPass(errno)
        return RegistryFileError(
            .unwritable,
            "\(path): \(call) failed: \(reason()). The former content still stands; free room on this disk, or give the broker's user the"
                + " right to write its directory", mayPass: mayPass)
    }

    private func reason() -> String {
        guard let text = strerror(errno) else { return "error \(errno)" }
        return String(cString: text)
    }
}
