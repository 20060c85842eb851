public import SyncModels

extension Sync.Business {
    /// The place that a user's devices share. Every call may be made from any task, and repeated: an item is stored once.
    public protocol IService: Sendable {
        /// - Throws: `notAuthenticated`, `remote`.
        func send(_ items: [Model.Item], userId: String) async throws(Model.Failure)

        /// - Throws: `notAuthenticated`, `remote`.
        func deleteAll(userId: String) async throws(Model.Failure)
    }
}
