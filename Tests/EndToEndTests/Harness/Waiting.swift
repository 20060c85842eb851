import Foundation
import Glibc

/// The watchdog of every wait: generous, only there to end a hang.
let watchdog: Duration = .seconds(60)

/// Runs a body that blocks on a thread of its own, never in the cooperative pool.
@discardableResult
func offPool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { done in
        Thread { done.resume(with: Result { try body() }) }.start()
    }
}

/// The error of a story that has waited in vain, or of a part of the harness that could not be had.
struct HarnessError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Asks again and again until there is an answer. Blocks its thread: for use in ``offPool(_:)``.
///
/// - Parameters:
///   - directories: it is asked again whenever something changes in them; without any, every 20 ms.
///   - last: what there was instead, for the error.
func poll<R>(
    for what: String, limit: Duration = watchdog, watching directories: [String] = [], last: () -> String = { "" },
    _ body: () throws -> R?
) throws -> R {
    // Before the first question, so that no answer is missed between the two.
    let watch = directories.isEmpty ? nil : try DirectoryWatch(directories)
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
        if let found = try body() { return found }
        guard clock.now < end else { throw HarnessError("gave up waiting for \(what) after \(limit); there was: \(last())") }
        if let watch { watch.wait(limit: .milliseconds(200)) } else { usleep(20_000) }
    }
}
