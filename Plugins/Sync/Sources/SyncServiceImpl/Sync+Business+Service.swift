internal import FoundationEssentials
public import SyncModels
public import SyncServiceInt

extension Sync.Business {
    /// A directory that devices share, such as one on a file server: for each user one file with the items that other devices have to look at.
    public actor Service: IService {
        private let directory: String

        public init(directory: String) { self.directory = directory }

        public func send(_ items: [Model.Item], userId: String) throws(Model.Failure) {
            try Model.check(userId)
            let url = url(of: userId)
            try attempt("sent to") {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let known = try DiskFile.read(url.path).map { try JSONDecoder().decode([Model.Item].self, from: $0) } ?? []
                // The latest word on an item is the one that counts.
                let named = Set(items.map { [Array($0.collection.utf8), Array($0.id.utf8)] })
                let all = known.filter { !named.contains([Array($0.collection.utf8), Array($0.id.utf8)]) } + items
                try JSONEncoder().encode(all).write(to: url, options: .atomic)
            }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try Model.check(userId)
            let url = url(of: userId)
            try attempt("removed from") {
                if try DiskFile.isThere(url.path) { try FileManager.default.removeItem(at: url) }
            }
        }

        /// A file of its own for each user id, in the directory whatever the id looks like.
        private func url(of userId: String) -> URL {
            let digits = Array("0123456789abcdef")
            let name = String(userId.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
            return URL(fileURLWithPath: directory).appendingPathComponent("user-\(name).json")
        }

        private func attempt(_ verb: String, _ body: () throws -> Void) throws(Model.Failure) {
            do { try body() } catch {
                throw Model.Failure(
                    code: .remote, message: "nothing could be \(verb) \(directory): \(DiskFile.reason(of: error)); check that it is there and may be written")
            }
        }
    }

    /// What `services: mock` means for Sync: whatever is sent is taken and forgotten.
    public struct ServiceInMemory: IService {
        public init() {}

        public func send(_ items: [Model.Item], userId: String) async throws(Model.Failure) { try Model.check(userId) }

        public func deleteAll(userId: String) async throws(Model.Failure) { try Model.check(userId) }
    }
}
