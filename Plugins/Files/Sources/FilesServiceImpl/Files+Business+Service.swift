public import FilesModels
public import FilesServiceInt
internal import FoundationEssentials
internal import Glibc

extension Files.Business {
    /// Files as files: one directory for each user, each file written beside its place and renamed.
    public actor Service: IService {
        private let directory: String

        public init(directory: String) { self.directory = directory }

        public func save(_ text: String, as name: String, userId: String) throws(Model.Failure) -> Model.File {
            try FileRules.check(name, of: userId)
            let data = Data(text.utf8)
            try FileRules.check(size: data.count, of: name)
            try attempt("write", name) {
                try FileManager.default.createDirectory(
                    at: folder(of: userId), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try data.write(to: url(of: name, userId), options: .atomic)
            }
            return Model.File(name: name, size: data.count)
        }

        public func read(_ name: String, userId: String) throws(Model.Failure) -> String {
            try FileRules.check(name, of: userId)
            let url = url(of: name, userId)
            guard let bytes = try attempt("read", name, { try DiskFile.read(url.path) }) else { throw FileRules.notFound(name) }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Model.Failure(
                    code: .storage, message: "'\(name)' is no UTF-8 text any more: somebody has changed \(url.path); save it again")
            }
            return text
        }

        public func remove(_ name: String, userId: String) throws(Model.Failure) {
            try FileRules.check(name, of: userId)
            let url = url(of: name, userId)
            guard try attempt("remove", name, { try DiskFile.isThere(url.path) }) else { throw FileRules.notFound(name) }
            try attempt("remove", name) { try FileManager.default.removeItem(at: url) }
        }

        public func list(userId: String) throws(Model.Failure) -> [Model.File] {
            try FileRules.check(userId)
            let folder = folder(of: userId)
            guard try attempt("list", "", { try DiskFile.isThere(folder.path) }) else { return [] }
            return try attempt("list", "") {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(Model.File.isName).sorted().map { name in
                    // Not by FileManager's attributes: which type their size has depends on the Foundation that is loaded.
                    var status = stat()
                    guard stat(folder.appendingPathComponent(name).path, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
                    return Model.File(name: name, size: Int(status.st_size))
                }
            }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try FileRules.check(userId)
            let folder = folder(of: userId)
            guard try attempt("remove", "", { try DiskFile.isThere(folder.path) }) else { return }
            try attempt("remove", "") { try FileManager.default.removeItem(at: folder) }
        }

        private func folder(of userId: String) -> URL {
            URL(fileURLWithPath: directory).appendingPathComponent(FileRules.folderName(of: userId))
        }

        private func url(of name: String, _ userId: String) -> URL { folder(of: userId).appendingPathComponent(name) }

        private func attempt<R>(_ verb: String, _ name: String, _ body: () throws -> R) throws(Model.Failure) -> R {
            do { return try body() } catch {
                throw Model.Failure(
                    code: .storage, message: "could not \(verb) \(directory)\(name.isEmpty ? "" : ": \(name)"): \(DiskFile.reason(of: error)); check rights and disk")
            }
        }
    }

    /// What `services: mock` means for Files: they end with the process.
    public actor ServiceInMemory: IService {
        /// By user and name, byte for byte as in a directory.
        private var files: [[UInt8]: [[UInt8]: String]] = [:]

        public init() {}

        public func save(_ text: String, as name: String, userId: String) throws(Model.Failure) -> Model.File {
            try FileRules.check(name, of: userId)
            try FileRules.check(size: text.utf8.count, of: name)
            files[Array(userId.utf8), default: [:]][Array(name.utf8)] = text
            return Model.File(name: name, size: text.utf8.count)
        }

        public func read(_ name: String, userId: String) throws(Model.Failure) -> String {
            try FileRules.check(name, of: userId)
            guard let text = files[Array(userId.utf8)]?[Array(name.utf8)] else { throw FileRules.notFound(name) }
            return text
        }

        public func remove(_ name: String, userId: String) throws(Model.Failure) {
            try FileRules.check(name, of: userId)
            guard files[Array(userId.utf8)]?.removeValue(forKey: Array(name.utf8)) != nil else { throw FileRules.notFound(name) }
        }

        public func list(userId: String) throws(Model.Failure) -> [Model.File] {
            try FileRules.check(userId)
            return (files[Array(userId.utf8)] ?? [:]).map { Model.File(name: String(decoding: $0.key, as: UTF8.self), size: $0.value.utf8.count) }.sorted { $0.name < $1.name }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try FileRules.check(userId)
            files[Array(userId.utf8)] = nil
        }
    }
}
