import Foundation
import ReluxControl

/// A log that grows; only whole lines are read.
struct LogFile {
    let name: String
    let path: String
    private var offset: UInt64 = 0

    /// A log of any size is read from here before its end.
    private static let byteLimit: UInt64 = 4 * 1024 * 1024

    /// - Parameter name: what it is called for people.
    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// In bytes; 0 where there is none.
    static func size(_ path: String) -> UInt64 {
        guard let handle = open(path) else { return 0 }
        defer { try? handle.close() }
        return (try? handle.seekToEnd()) ?? 0
    }

    /// nil for what is no file.
    private static func open(_ path: String) -> FileHandle? {
        let descriptor = LogPlace.openForReading(path)
        return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// - Parameter begin: what stands before it is not read.
    init(name: String, path: String, from begin: UInt64) {
        self.init(name: name, path: path)
        offset = begin
    }

    mutating func readLines() -> [String] {
        guard let handle = Self.open(path) else { return [] }
        defer { try? handle.close() }
        guard let size = try? handle.seekToEnd() else { return [] }
        // A rotated file starts again.
        if size < offset { offset = 0 }
        if size - offset > Self.byteLimit { offset = size - Self.byteLimit }
        guard size > offset, (try? handle.seek(toOffset: offset)) != nil,
            let data = try? handle.read(upToCount: Int(size - offset)), let end = data.lastIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let whole = data[data.startIndex...end]
        offset += UInt64(whole.count)
        return whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
