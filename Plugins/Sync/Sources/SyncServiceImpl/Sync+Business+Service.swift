internal import FoundationEssentials
internal import ReluxFiles
public import SyncModels
public import SyncServiceInt

extension Sync.Business {
    /// A directory that devices share, for example on a file server: one file for each user, with the items that other devices have to look at.
    public actor Service: IService {
        private let directory: String

        public init(directory: String) { self.directory = directory }

        public func send(_ items: [Model.Item], userId: String) throws(Model.Failure) {
            try Model.check(userId)
            let path = path(of: userId)
            try attempt("sent to") {
                let known = try DiskFile.read(path).map { try JSONDecoder().decode([Model.Item].self, from: $0) } ?? []
                // The latest word on an item is the one that counts.
                let named = Set(items.map { [Array($0.collection.utf8), Array($0.id.utf8)] })
                let all = known.filter { !named.contains([Array($0.collection.utf8), Array($0.id.utf8)]) } + items
                try DiskFile.write(try JSONEncoder().encode(all), to: path)
            }
        }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try Model.check(userId)
            let path = path(of: userId)
            try attempt("removed from") { try DiskFile.remove(path) }
        }

        /// A file of its own for each user id, in the directory whatever the id looks like.
        private func path(of userId: String) -> String {
            let digits = Array("0123456789abcdef")
            let name = String(userId.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
            return "\(directory)/user-\(name).json"
        }

        private func attempt(_ verb: String, _ body: () throws -> some Any) throws(Model.Failure) {
            do { _ = try body() } catch {
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
