import Glibc
import ReluxSystem

/// The files below `<run>/state` that this process has open for writing, looked at again and again: whether they still lie where they lay.
///
/// A module that keeps writing a file which somebody has deleted, or moved away, acknowledges what nobody will find again. Scratch files that never have a
/// name belong into `TMPDIR`.
package struct HeldFiles: Sendable {
    struct File: Sendable, Hashable {
        let identity: FileIdentity
        /// Where it lies, or lay before it lost its name.
        let path: String
        /// Some name leads to it.
        var isLinked = true
    }

    private struct Folder: Sendable {
        var identity: FileIdentity
        var isEmpty: Bool
    }

    private let root: String
    /// The modules' folders by name, as they were at the last look.
    private var folders: [String: Folder] = [:]
    /// Where each of the files lay first, by descriptor.
    private var known: [Int32: File] = [:]
    /// Files that were not in their place at the last look: some modules close a file only when they have deleted it.
    private var missed: [Int32: File] = [:]

    /// Call it when the run directory has been made.
    package init(_ run: RunDirectory) { self.init(below: Self.resolved(run.state)) }

    init(below root: String) { self.root = root + "/" }

    /// Some file was not in its place at the last look: the next one is wanted soon.
    package var isSuspicious: Bool { !missed.isEmpty }

    /// Finds the files that were missing at this look and the one before, by the name of their module's folder.
    package mutating func look() -> [String: [String]] {
        var now: [Int32: File] = [:]
        for descriptor in OpenDescriptors.numbers() {
            guard let path = OpenDescriptors.path(of: descriptor), path.hasPrefix(root) || known[descriptor] != nil,
                let file = Self.file(descriptor, path)
            else { continue }
            now[descriptor] = file
        }
        return on(now)
    }

    /// - Parameter now: the files that are open, those below the root and those that were there before.
    mutating func on(_ now: [Int32: File]) -> [String: [String]] {
        // A descriptor that stands for another file now was closed in between.
        known = known.filter { now[$0.key]?.identity == $0.value.identity }
        for (descriptor, file) in now where known[descriptor] == nil && file.path.hasPrefix(root) { known[descriptor] = file }
        let missing = known.filter { now[$0.key]?.path != $0.value.path || now[$0.key]?.isLinked == false }
        defer { missed = missing }
        var taken: [String: Set<String>] = [:]
        for (descriptor, file) in missing where missed[descriptor] == file {
            let parts = file.path.dropFirst(root.count).split(separator: "/", maxSplits: 1)
            if parts.count == 2 { taken[String(parts[0]), default: []].insert(String(parts[1])) }
        }
        return taken.mapValues { $0.sorted() }
    }

    /// Looks at a module's folder: it may keep files that it does not have open.
    ///
    /// - Returns: whether the folder is gone, or another one, and had something in it at the last look.
    package mutating func isFolderTaken(_ name: String) -> Bool {
        let now = Self.folder(root + name)
        defer { folders[name] = now }
        guard let last = folders[name], !last.isEmpty else { return false }
        return now?.identity != last.identity
    }

    /// A life of the module begins: what its folder was before is no matter.
    package mutating func begin(_ name: String) { folders[name] = nil }

    private static func folder(_ path: String) -> Folder? {
        guard let identity = FileIdentity(path: path) else { return nil }
        guard let entries = opendir(path) else { return Folder(identity: identity, isEmpty: true) }
        defer { closedir(entries) }
        var count = 0
        // `.` and `..` are always there.
        while count < 3, readdir(entries) != nil { count += 1 }
        return Folder(identity: identity, isEmpty: count < 3)
    }

    private static func file(_ descriptor: Int32, _ path: String) -> File? {
        var found = stat()
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, flags & O_ACCMODE != O_RDONLY else { return nil }
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG, let identity = FileIdentity(descriptor: descriptor) else { return nil }
        // Another file may have come under the descriptor since the path was asked for.
        guard OpenDescriptors.path(of: descriptor) == path else { return nil }
        let mark = " (deleted)"
        let isLinked = found.st_nlink > 0
        return File(identity: identity, path: !isLinked && path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path, isLinked: isLinked)
    }

    private static func resolved(_ path: String) -> String {
        guard let raw = realpath(path, nil) else { return path }
        defer { free(raw) }
        return String(cString: raw)
    }
}
