public import FilesModels
public import FilesServiceInt
internal import FoundationEssentials
internal import Glibc
internal import ReluxFiles

extension Files.Business {
    /// Files as files: one directory for each user, each file written beside its place and renamed.
    public actor Service: IService {
        private let directory: String

        public init(directory: String) { self.directory = directory }

        public func save(_ text: String, as name: String, userId: String) throws(Model.Failure) -> Model.File {
            try FileRules.check(name, of: userId)
            let data = Data(text.utf8)
            try FileRules.check(size: data.count, of: name)
            try attempt("write", name) { try DiskFile.write(data, to: path(of: name, userId)) }
            return Model.File(name: name, size: data.count)
        }

        public func read(_ name: String, userId: String) throws(Model.Failure) -> String {
            try FileRules.check(name, of: userId)
            let path = path(of: name, userId)
            guard let bytes = try attempt("read", name, { try DiskFile.read(path) }) else { throw FileRules.notFound(name) }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Model.Failure(
                    code: .storage, message: "'\(name)' is no UTF-8 text any more: somebody has changed \(path); save it again")
            }
            return text
        }

        public func remove(_ name: String, userId: String) throws(Model.Failure) {
            try FileRules.check(name, of: userId)
            guard try attempt("remove", name, { try DiskFile.remove(path(of: name, userId)) }) else { throw FileRules.notFound(name) }
        }

        public func list(userId: String) throws(Model.Failure) -> [Model.File] {
            try FileRules.check(userId)
            let folder = folder(of: userId)
            guard try attempt("list", "", { try DiskFile.isThere(folder) }) else { return [] }
            return try attempt("list", "") {
                try FileManager.default.contentsOfDirectory(atPath: folder).filter(Model.File.isName).sorted().map { name in
                    // Not by FileManager's attributes: which type their size has depends on the Foundation that is loaded.
                    var status = stat()
                    guard stat("\(folder)/\(name)", &status) == 0 else { throw CocoaError(.fileReadUnknown) }
                    return Model.File(name: name, size: Int(status.st_size))
                }
            }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try FileRules.check(userId)
            _ = try attempt("remove", "") { try DiskFile.remove(folder(of: userId)) }
        }

        private func folder(of userId: String) -> String { "\(directory)/\(FileRules.folderName(of: userId))" }

        private func path(of name: String, _ userId: String) -> String { "\(folder(of: userId))/\(name)" }

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
        private var files = TextKeyed<TextKeyed<String>>()

        public init() {}

        public func save(_ text: String, as name: String, userId: String) throws(Model.Failure) -> Model.File {
            try FileRules.check(name, of: userId)
            try FileRules.check(size: text.utf8.count, of: name)
            files[userId, default: TextKeyed()][name] = text
            return Model.File(name: name, size: text.utf8.count)
        }

        public func read(_ name: String, userId: String) throws(Model.Failure) -> String {
            try FileRules.check(name, of: userId)
            guard let text = files[userId]?[name] else { throw FileRules.notFound(name) }
            return text
        }

        public func remove(_ name: String, userId: String) throws(Model.Failure) {
            try FileRules.check(name, of: userId)
            guard files[userId]?.removeValue(forKey: name) != nil else { throw FileRules.notFound(name) }
        }

        public func list(userId: String) throws(Model.Failure) -> [Model.File] {
            try FileRules.check(userId)
            return (files[userId]?.all ?? []).map { Model.File(name: $0.text, size: $0.value.utf8.count) }.sorted { $0.name < $1.name }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try FileRules.check(userId)
            files[userId] = nil
        }
    }
}
