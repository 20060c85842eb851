import Glibc
import ReluxJournal
import ReluxSystem
import ReluxWire

/// A small file in which one process tells another one, or its next life, something: JSON, replaced as a whole. Nothing depends on it but what is told.
package enum NoteFile {
    /// Far above what any of them holds.
    private static let byteLimit = 4 << 20
    private static var files: GlibcFileSystem { GlibcFileSystem() }

    /// Nil when there is none, or none that can be read: nothing is known then.
    package static func read<Note: Decodable>(_ type: Note.Type, from path: String) -> Note? {
        guard let file = try? files.open(path, .read) else { return nil }
        defer { files.close(file) }
        guard let bytes = try? files.read(file, at: 0, count: byteLimit) else { return nil }
        return try? JSON.decode(type, from: String(decoding: bytes, as: UTF8.self))
    }

    /// Keeps the earlier note, or none, when the disk refuses the write. What is no file and lies in the note's place is set aside.
    ///
    /// - Returns: a line for a log when something was in the way; nil when all is as it should be.
    @discardableResult
    package static func write(_ note: some Encodable, to path: String) -> String? { write(to: path) { _ in note } }

    /// The same for a note that names the file it is in.
    ///
    /// - Parameter note: is given the file's number on its disk.
    @discardableResult
    package static func write(to path: String, _ note: (UInt64) -> some Encodable) -> String? {
        let draft = path + ".new"
        let asides = [FilePlace.clear(draft), FilePlace.clear(path)].compactMap(\.self)
        do throws(SystemError) {
            let file = try files.open(draft, .create)
            defer { files.close(file) }
            try files.truncate(file, byteCount: 0)
            guard let text = try? JSON.encode(note(try files.facts(file).identity)) else { return nil }
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty { bytes = bytes.dropFirst(try files.write(file, at: bytes.startIndex, bytes)) }
            try files.rename(draft, to: path)
            return asides.isEmpty ? nil : asides.joined(separator: "; ")
        } catch {
            unlink(draft)
            return "\(path) cannot be written: \(error)"
        }
    }

    /// - Returns: as ``write(_:to:)``.
    @discardableResult
    package static func remove(_ path: String) -> String? {
        if let aside = FilePlace.clear(path) { return aside }
        guard unlink(path) != 0, errno != ENOENT else { return nil }
        return "\(path) cannot be deleted: \(String(cString: strerror(errno)))"
    }
}
