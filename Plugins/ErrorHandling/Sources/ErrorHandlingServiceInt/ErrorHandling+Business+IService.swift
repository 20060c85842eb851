public import ErrorHandlingModels

extension ErrorHandling.Business {
    /// The record of errors. Every call may be made from any task.
    public protocol IService: Sendable {
        /// Keeps an error and answers with what is kept.
        ///
        /// - Throws: `storage`.
        func track(_ error: Model.TrackedError) async throws(Model.Failure) -> Model.Entry

        /// The latest errors, oldest first.
        ///
        /// - Throws: `storage`.
        func recent(limit: Int) async throws(Model.Failure) -> [Model.Entry]
    }
}
