public import Relux
import Synchronization

/// Fails what it runs when a node that it recorded has refused a dispatch and nobody expected that.
///
/// `@Suite(.noRefusals)` of ReluxTestTraits puts one around each test. Elsewhere a test calls ``run(_:)`` itself.
public final class RefusalCheck: Sendable {
    @TaskLocal static var current: RefusalCheck?

    private let recorders = Mutex<[RecordingLogger]>([])

    private init() {}

    func add(_ recorder: RecordingLogger) { recorders.withLock { $0.append(recorder) } }

    /// - Throws: what the body throws, else ``UnexpectedRefusals`` for what any ``RecordingLogger`` that was made in the body has recorded as
    ///   refused and was not told to expect.
    public static func run(_ body: () async throws -> Void) async throws {
        let check = RefusalCheck()
        try await $current.withValue(check) { try await body() }
        let refused = check.recorders.withLock { $0 }.flatMap(\.unexpectedRefusals)
        if !refused.isEmpty { throw UnexpectedRefusals(entries: refused) }
    }
}

/// Dispatches that were not accepted although the test did not expect that.
public struct UnexpectedRefusals: Error, CustomStringConvertible {
    public let entries: [Relux.LogEntry]

    public var description: String {
        let lines = entries.map { entry in
            let place = entry.site.map { " at \($0.file):\($0.line)" } ?? ""
            return "\(entry.module): \(entry.description)\(place): \(entry.result.failures.first?.message ?? "")"
        }
        return "\(entries.count.counted("dispatch was", "dispatches were")) refused:\n\(lines.joined(separator: "\n"))\n"
            + "a test that wants this says so: recorder.expectRefusals(of: \"\(entries.first?.result.failures.first?.code ?? "")\")"
    }
}
