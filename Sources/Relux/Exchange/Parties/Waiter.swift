extension Relux {
    /// The receiver of a dispatch's result.
    enum Waiter: Sendable {
        case task(UnsafeContinuation<ActionResult, Never>)
        case completion(@Sendable (ActionResult) -> Void)
        case nobody

        /// From any thread, once; runs no code of a module there.
        func resume(returning result: ActionResult) {
            switch self {
            case .task(let continuation): continuation.resume(returning: result)
            case .completion(let body): Task.detached { body(result) }
            case .nobody: break
            }
        }
    }
}
