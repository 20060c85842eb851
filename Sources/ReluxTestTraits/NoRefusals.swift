import ReluxTestKit
public import Testing

/// Fails each test in which a recorded node refuses a dispatch that the test does not expect.
public struct NoRefusals: SuiteTrait, TestTrait, TestScoping {
    public init() {}

    /// Around each test of a suite, for each makes its own nodes.
    public var isRecursive: Bool { true }

    public func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await RefusalCheck.run(function)
    }
}

extension Trait where Self == NoRefusals {
    /// A dispatch that is refused fails the test, unless its recorder was told to expect it.
    ///
    /// It sees nodes that log to a `RecordingLogger` made in the test, or in the suite's properties or `init`.
    public static var noRefusals: Self { NoRefusals() }
}
