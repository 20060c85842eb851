import CSodium
import Glibc

/// Reads a regular file whole; what is hashed, checked and reported is one reading.
/// - Throws: `loader.unreadable` with the system's reason, also for a link, a directory or a device.
package func readFile(_ path: String) throws(LoaderError) -> [UInt8] {
    func unreadable(_ why: String) -> LoaderError {
        LoaderError(
            .unreadable, offender: path, why, remedy: "a plugin is a directory of regular files that the host may read")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
        let why = errno
        throw unreadable(why == ELOOP ? "it is a symbolic link" : String(cString: strerror(why)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw unreadable("it is not a regular file")
    }
    let size = Int(status.st_size)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
        while filled < size {
            let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled)
            if count < 0, errno == EINTR { continue }
            if count < 0 { failure = errno }
            if count <= 0 { break }
            filled += count
        }
    }
    guard failure == 0 else { throw unreadable(String(cString: strerror(failure))) }
    return bytes
}

/// Names in a directory, sorted, without `.` and `..`.
func directoryEntries(_ path: String) throws(LoaderError) -> [String] {
    guard let directory = opendir(path) else {
        throw LoaderError(
            .unreadable, offender: path, String(cString: strerror(errno)), remedy: "name a packed plugin's directory")
    }
    defer { closedir(directory) }
    var names: [String] = []
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while let entry = readdir(directory) {
        // The record is as long as its name: the whole struct must not be copied.
        let start = UnsafeRawPointer(entry).advanced(by: nameOffset)
        let name = String(cString: start.assumingMemoryBound(to: CChar.self))
        if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// The path without links; nil when nothing is there.
func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// SHA-256, 64 hexadecimal digits.
package func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return hexadecimal(digest)
}
