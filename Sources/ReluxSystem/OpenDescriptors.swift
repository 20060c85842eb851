internal import Glibc

/// The descriptors that this process has open.
package enum OpenDescriptors {
    /// Empty when the kernel does not tell; without the one that the question itself needs.
    package static func numbers() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        let own = dirfd(folder)
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let descriptor = Int32(name), descriptor != own { found.append(descriptor) }
        }
        return found
    }

    /// Where the file of this descriptor lies now; ` (deleted)` behind it when it has no name any more. Nil for what is no file.
    package static func path(of descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
        guard count > 0, bytes[0] == UInt8(ascii: "/") else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
