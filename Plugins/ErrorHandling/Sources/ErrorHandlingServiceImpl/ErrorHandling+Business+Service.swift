public import ErrorHandlingModels
public import ErrorHandlingServiceInt
internal import FoundationEssentials
internal import ReluxFiles
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
                let file = try LogFile(path: path)
                let size = try file.size()
                if size > 0, size + line.count >= fileLimit {
                    try setAside()
                    try LogFile(path: path).append(line)
                } else {
                    try file.append(try isTorn(file, size: size) ? Data("\n".utf8) + line : line)
                }
            }
        }

        /// Whether a crash cut the last line short.
        private func isTorn(_ file: borrowing LogFile, size: Int) throws -> Bool {
            guard size > 0 else { return false }
            return try file.byte(at: size - 1) != UInt8(ascii: "\n")
        }

        private func setAside() throws {
            try? FileManager.default.removeItem(atPath: path + ".1")
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        }

        /// A line that a crash cut short is passed over.
        private func read(_ path: String) throws -> [Model.Entry] {
            guard let data = try DiskFile.read(path) else { return [] }
            let decoder = JSONDecoder()
            return data.split(separator: UInt8(ascii: "\n"))
                .compactMap { try? decoder.decode(Model.Entry.self, from: Data($0)) }
        }

        private func failure(_ verb: String, _ error: any Error) -> Model.Failure {
            Model.Failure(
                code: .storage, message: "\(path) could not be \(verb): \(DiskFile.reason(of: error)); check the path, its rights and the disk"
            )
        }
    }
}
