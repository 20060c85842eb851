public import SyncModels

extension Sync.Business {
    /// The place that all devices of a user share. Every call may be made from any task and again: an item that is there is there once.
    public protocol IService: Sendable {
        /// - Throws: `notAuthenticated`, `remote`.
        func send(_ items: [Model.Item], userId: String) async throws(Model.Failure)

        /// - Throws: `notAuthenticated`, `remote`.
        func deleteAll(userId: String) async throws(Model.Failure)
    }
}
