public import ErrorHandlingModels
public import ErrorHandlingServiceInt
internal import Foundation
internal import Synchronization

extension ErrorHandling.Business {
    /// Errors in a text file, one JSON object per line, so that any tool can read it.
    ///
    /// When the file has grown past its limit it becomes `<path>.1`, replacing the one before: two files at most are kept.
    public final class Service: IService {
        /// Bytes after which a new file is begun: 1 MiB.
        public static let fileLimit = 1 << 20

        private let path: String
        private let fileLimit: Int
        private let secondsSince1970: @Sendable () -> Int64
        /// One writer at a time; a line is one write.
        private let file = Mutex<Void>(())

        public convenience init(filePath: String) {
            self.init(
                filePath: filePath, fileLimit: Self.fileLimit, secondsSince1970: { Int64(Date().timeIntervalSince1970) }
            )
        }

        init(filePath: String, fileLimit: Int, secondsSince1970: @escaping @Sendable () -> Int64) {
            self.path = filePath
            self.fileLimit = fileLimit
            self.secondsSince1970 = secondsSince1970
        }

        public func track(_ error: Model.TrackedError) async throws(Model.Failure) -> Model.Entry {
            let entry = Model.Entry(error: error, trackedAt: secondsSince1970())
            do {
                try append(entry)
            } catch {
                throw failure("written", error)
            }
            return entry
        }

        public func recent(limit: Int) async throws(Model.Failure) -> [Model.Entry] {
            do {
                let entries = try file.withLock { _ in try read(path + ".1") + read(path) }
                return entries.suffix(max(0, limit))
            } catch {
                throw failure("read", error)
            }
        }

        private func append(_ entry: Model.Entry) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let line = try encoder.encode(entry) + Data("\n".utf8)
            try file.withLock { _ in
                let handle = try opened()
                defer { try? handle.close() }
                let size = try handle.seekToEnd()
                if size > 0, size + UInt64(line.count) >= UInt64(fileLimit) {
                    try startAnew().closing { try $0.write(contentsOf: line) }
                } else {
                    try handle.write(contentsOf: try isTorn(handle, size: size) ? Data("\n".utf8) + line : line)
                }
            }
        }

        private func opened() throws -> FileHandle {
            if !FileManager.default.fileExists(atPath: path) {
                let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
                )
                try Data().write(to: URL(fileURLWithPath: path))
            }
            return try FileHandle(forUpdating: URL(fileURLWithPath: path))
        }

        /// Whether a crash cut the last line short. The handle stands at the end, before and after.
        private func isTorn(_ handle: FileHandle, size: UInt64) throws -> Bool {
            guard size > 0 else { return false }
            try handle.seek(toOffset: size - 1)
            return try handle.read(upToCount: 1) != Data("\n".utf8)
        }

        private func startAnew() throws -> FileHandle {
            try? FileManager.default.removeItem(atPath: path + ".1")
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            return try opened()
        }

        /// A line that a crash cut short is passed over.
        private func read(_ path: String) throws -> [Model.Entry] {
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            let decoder = JSONDecoder()
            return try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
                .compactMap { try? decoder.decode(Model.Entry.self, from: Data($0)) }
        }

        private func failure(_ verb: String, _ error: any Error) -> Model.Failure {
            Model.Failure(
                code: .storage, message: "\(path) could not be \(verb): \(error); check the path, its rights and the disk"
            )
        }
    }
}

extension FileHandle {
    fileprivate func closing(_ body: (FileHandle) throws -> Void) throws {
        defer { try? close() }
        try body(self)
    }
}
