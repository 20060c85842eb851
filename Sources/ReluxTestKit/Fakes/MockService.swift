internal import Synchronization

/// A mock of a service that keeps contents in memory, records what it is asked, and fails as a test has set.
///
/// ```swift
/// public final class ServiceMock: IService, MockService {
///     public enum Call: Sendable, Equatable { case items }
///
///     public let mocked: Mocked<Call, [Item], Failure>
///
///     public init(items: [Item] = []) { mocked = Mocked(items) }
///
///     public func items() async throws(Failure) -> [Item] { try perform(.items) { $0 } }
/// }
/// ```
public protocol MockService: Sendable {
    associatedtype Call: Sendable
    associatedtype Contents: Sendable
    associatedtype Failure: Error

    var mocked: Mocked<Call, Contents, Failure> { get }
}

/// The memory of a ``MockService``: contents, calls and the failure.
public final class Mocked<Call: Sendable, Contents: Sendable, Failure: Error>: Sendable {
    fileprivate struct State {
        var contents: Contents
        var failure: Failure?
        var calls: [Call] = []
        var isPrepared = false
    }

    fileprivate let state: Mutex<State>

    /// - Parameter failure: what every call fails with; nil lets them succeed.
    public init(_ contents: Contents, failure: Failure? = nil) { state = Mutex(State(contents: contents, failure: failure)) }
}

extension MockService {
    /// All calls so far, failed ones too.
    public var calls: [Call] { mocked.state.withLock { $0.calls } }

    /// What every later call fails with; nil lets them succeed again.
    public func fail(_ failure: Failure?) { mocked.state.withLock { $0.failure = failure } }

    /// Reads or changes the contents, whether or not calls fail; nothing is recorded.
    public func contents<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result { mocked.state.withLock { body(&$0.contents) } }

    /// Records the call, and does what it asks for unless calls fail.
    public func perform<Result: Sendable>(_ call: Call, _ body: (inout Contents) -> Result) throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = mocked.state.withLock { state in
            state.calls.append(call)
            return state.failure.map { .failure($0) } ?? .success(body(&state.contents))
        }
        return try result.get()
    }

    public var isPrepared: Bool { mocked.state.withLock { $0.isPrepared } }

    /// What a service does before it is used; not recorded.
    public func prepare() async throws(Failure) {
        let failure = mocked.state.withLock { state in
            state.isPrepared = state.failure == nil
            return state.failure
        }
        if let failure { throw failure }
    }
}
