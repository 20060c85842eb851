import Dispatch
import ReluxTestKit

/// Runs the closures of a test's effects, and knows when none of them computes: each has ended, or waits for something.
///
/// A part of an effect that runs elsewhere (on an actor with its own executor, in an unstructured task) is not counted.
final class EffectExecutor: TaskExecutor {
    /// How many parts are queued or run.
    private let open = Watched(0)
    private let queue = DispatchQueue(label: "effects", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        open.update { $0 += 1 }
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.open.update { $0 -= 1 }
        }
    }

    /// Returns when no effect computes, or at the limit.
    ///
    /// - Returns: whether none does.
    func idle(within limit: Duration) async -> Bool { (try? await open.wait(for: "effects that compute", limit: limit) { $0 == 0 }) != nil }
}
