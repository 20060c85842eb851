import Glibc
import ReluxJournal
import ReluxWire

/// A small file in which one process tells another one, or its next life, something: JSON, replaced as a whole. Nothing depends on it but what is told.
enum NoteFile {
    /// Far above what any of them holds.
    private static let byteLimit = 4 << 20
    private static var files: GlibcFileSystem { GlibcFileSystem() }

    /// Nil when there is none, or none that can be read: nothing is known then.
    static func read<Note: Decodable>(_ type: Note.Type, from path: String) -> Note? {
        guard let file = try? files.open(path, .read) else { return nil }
        defer { files.close(file) }
        guard let bytes = try? files.read(file, at: 0, count: byteLimit) else { return nil }
        return try? JSON.decode(type, from: String(decoding: bytes, as: UTF8.self))
    }

    /// Keeps the earlier note, or none, when the disk refuses the write.
    static func write(_ note: some Encodable, to path: String) {
        guard let text = try? JSON.encode(note) else { return }
        let draft = path + ".new"
        do throws(SystemError) {
            let file = try files.open(draft, .create)
            defer { files.close(file) }
            try files.truncate(file, byteCount: 0)
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty { bytes = bytes.dropFirst(try files.write(file, at: bytes.startIndex, bytes)) }
            try files.rename(draft, to: path)
        } catch {
            unlink(draft)
        }
    }
}
