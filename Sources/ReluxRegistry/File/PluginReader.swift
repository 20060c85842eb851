import Glibc
import ReluxPlugin
import ReluxWire

/// Reads the manifests of packed plugins for the registry, which touches no file itself.
package enum PluginReader {
    /// A manifest is a few hundred kilobytes at most; what is longer is no manifest.
    private static let byteLimit = 4 << 20

    /// By the directory that was asked for; of one that is a link, the same facts also by where it leads.
    package static func read(_ directories: [String]) -> [String: PluginFacts] {
        var found: [String: PluginFacts] = [:]
        for directory in Set(directories) {
            let read = facts(of: directory)
            found[directory] = read
            if let place = read.place, found[place] == nil { found[place] = read }
        }
        return found
    }

    /// Where the last part of the path leads, beside it, as the packer's link to the latest build does; nil for anything else.
    private static func place(of directory: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(directory, &target, target.count)
        guard count > 0, count < target.count, let end = directory.lastIndex(of: "/") else { return nil }
        let name = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.contains("/") ? nil : directory[..<end] + "/" + name
    }

    private static func facts(of directory: String) -> PluginFacts {
        let path = "\(directory)/\(PluginManifest.fileName)"
        guard let bytes = contents(of: path) else {
            return .unreadable(
                code: "loader.unreadable",
                message: "\(path) cannot be read: \(String(cString: strerror(errno))); pack the module first (relux module pack)")
        }
        do {
            return PluginFacts(try JSON.decode(PluginManifest.self, from: String(decoding: bytes, as: UTF8.self)), place: place(of: directory))
        } catch {
            return .unreadable(
                code: "loader.manifest", message: "\(path) is no plugin manifest: \(error.message); pack the module again")
        }
    }

    private static func contents(of path: String) -> [UInt8]? {
        // A pipe in its place would wait for its other end, and the broker with it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return nil }
        guard found.st_mode & S_IFMT == S_IFREG else {
            errno = found.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE
            return nil
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= byteLimit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        errno = EFBIG
        return nil
    }
}
