import Foundation
import Glibc

/// Sees changes of packages' sources: their manifests, and all below `Sources` and `Tests` but hidden files and editors' own.
///
/// Folders that are made later are watched too; what was in one before it was watched counts as changed. A file that has other names, by a link
/// of either kind, has changed when it was written under any of them; links to folders are seen and not followed.
/// Used by one thread at a time.
package final class SourceWatch {
    private let packages: [String]
    /// Becomes readable when something has happened; ``changes()`` then says whether it matters.
    package let descriptor: Int32
    /// The folder of each watch.
    private var folders: [Int32: String] = [:]
    /// The file of each watch on one with other names.
    private var files: [Int32: String] = [:]

    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    private static let hint = "check that the folder is there and may be read, and fs.inotify.max_user_watches"

    /// - Parameter packages: the packages' folders, absolute.
    /// - Throws: `dev.watch` when the system refuses.
    package init(packages: [String]) throws(DevLoopError) {
        self.packages = packages
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { throw .system("dev.watch", "files cannot be watched", hint: "end other programs that watch files") }
        for package in packages { try watch(package) }
        _ = try rescan()
    }

    deinit { close(descriptor) }

    /// The paths that have changed since the last call, absolute, each once and sorted; does not wait.
    /// - Throws: `dev.watch` when a new folder cannot be watched, or a package's own is gone.
    package func changes() throws(DevLoopError) -> [String] {
        var changed: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for event in Self.events(in: buffer[..<count]) { changed.formUnion(try take(event)) }
        }
        return changed.sorted()
    }

    // MARK: Events

    private struct Event {
        let watch: Int32
        let mask: UInt32
        let name: String

        func has(_ flag: Int) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
    }

    /// `struct inotify_event`: watch, mask, cookie, length of the name; then the name, filled up with zeros.
    private static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
        bytes.withUnsafeBytes { bytes in
            var (events, at) = ([Event](), 0)
            while at + 16 <= bytes.count {
                let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                let name = bytes[(at + 16)..<min(at + 16 + length, bytes.count)].prefix { $0 != 0 }
                events.append(
                    Event(
                        watch: bytes.loadUnaligned(fromByteOffset: at, as: Int32.self),
                        mask: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self), name: String(decoding: name, as: UTF8.self)))
                at += 16 + length
            }
            return events
        }
    }

    private func take(_ event: Event) throws(DevLoopError) -> [String] {
        // So much at once that some was dropped: something has changed.
        if event.has(Int(IN_Q_OVERFLOW)) { return try rescan() }
        if let file = files[event.watch] {
            // Its other name was replaced: what is there now is another file.
            if event.has(Int(IN_IGNORED)) {
                files[event.watch] = nil
                watchOtherNames(of: file)
            }
            return [file]
        }
        guard let folder = folders[event.watch] else { return [] }
        let isGone = event.has(Int(IN_IGNORED))
        if isGone { folders[event.watch] = nil }
        if isGone || event.has(Int(IN_MOVE_SELF)) {
            guard !packages.contains(folder) else {
                throw DevLoopError("dev.watch", "\(folder) is gone", hint: "name the folder in which the package lies now", status: 1)
            }
            return []
        }
        guard !event.name.isEmpty else { return [] }
        let path = "\(folder)/\(event.name)"
        if event.has(Int(IN_ISDIR)) {
            let isSource = packages.contains(folder) ? SourcePath.folders.contains(event.name) : SourcePath.isWatched(folder: event.name)
            guard isSource else { return [] }
            let isNew = event.has(Int(IN_CREATE)) || event.has(Int(IN_MOVED_TO))
            if isNew { return try add(path) }
            // It took its files with it; where it lies now they are somebody else's.
            for (watch, known) in folders where known == path || known.hasPrefix(path + "/") { inotify_rm_watch(descriptor, watch) }
            return [path]
        }
        if event.has(Int(IN_CREATE)) {
            // A file that was made is told again when it has been written; a link is not.
            guard let kind = kind(of: path), kind != .plain else { return [] }
            watchOtherNames(of: path)
            if kind == .linkToFolder { return SourcePath.isWatched(folder: event.name) ? [path] : [] }
        }
        if event.has(Int(IN_MOVED_TO)), isWatched(event.name, in: folder) { watchOtherNames(of: path) }
        return isWatched(event.name, in: folder) ? [path] : []
    }

    private func isWatched(_ file: String, in folder: String) -> Bool {
        packages.contains(folder) ? SourcePath.isWatched(inPackage: file) : SourcePath.isWatched(file: file)
    }

    // MARK: Folders

    /// Watches a folder and those below it.
    /// - Returns: the files that are there already.
    private func add(_ folder: String) throws(DevLoopError) -> [String] {
        var (found, left) = ([String](), [folder])
        while let folder = left.popLast() {
            guard try watch(folder) else { continue }
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                let path = "\(folder)/\(name)"
                var information = stat()
                guard lstat(path, &information) == 0 else { continue }
                if information.st_mode & S_IFMT == S_IFDIR {
                    if SourcePath.isWatched(folder: name) { left.append(path) }
                } else if isWatched(name, in: folder) {
                    watchOtherNames(of: path)
                    found.append(path)
                }
            }
        }
        return found
    }

    private enum Kind { case plain, linked, linkToFolder }

    /// Nil for what is not there any more.
    private func kind(of path: String) -> Kind? {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        guard information.st_mode & S_IFMT == S_IFLNK else { return information.st_nlink > 1 ? .linked : .plain }
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR ? .linkToFolder : .linked
    }

    /// A file that may be written under a name that lies in no folder of ours is watched by itself.
    private func watchOtherNames(of file: String) {
        guard kind(of: file) == .linked else { return }
        // A file that cannot be watched, such as a link to nothing, is seen when it is written under this name.
        let watch = inotify_add_watch(descriptor, file, UInt32(IN_CLOSE_WRITE | IN_DELETE_SELF))
        if watch >= 0 { files[watch] = file }
    }

    private func rescan() throws(DevLoopError) -> [String] {
        for package in packages {
            for name in SourcePath.folders { _ = try add("\(package)/\(name)") }
        }
        return packages
    }

    /// - Returns: false when there is no such folder, or none any more.
    @discardableResult
    private func watch(_ folder: String) throws(DevLoopError) -> Bool {
        let watch = inotify_add_watch(descriptor, folder, Self.events)
        guard watch >= 0 else {
            if !packages.contains(folder), errno == ENOENT || errno == ENOTDIR { return false }
            throw .system("dev.watch", "\(folder) cannot be watched", hint: Self.hint)
        }
        folders[watch] = folder
        return true
    }
}
