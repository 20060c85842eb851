import ReluxTestKit
import Synchronization

@testable import Relux

/// The way out of a process: what was said there, and what was settled.
final class RecordingUplink: Relux.Uplink {
    let appended = Recorder<Relux.Emission>()
    let settlements = Recorder<Relux.Settled>()
    let refused = Recorder<(dispatch: Relux.RefusedDispatch, count: UInt64, isShown: Bool)>()
    /// Why sources find no room; nil when they do.
    let obstacle = Mutex<Relux.Failure?>(nil)
    func append(_ appended: Relux.Emission) { self.appended.record(appended) }
    func settled(_ settled: Relux.Settled) { settlements.record(settled) }
    func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { obstacle.withLock { $0 }.map { .failure($0) } }
    func hasRoom(for topic: Topic) -> Bool { obstacle.withLock { $0 == nil } }
    func refused(_ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool) {
        self.refused.record((refused, count, isShown))
    }
    var sealer: (any Relux.SecretSealing)? { XORSealing() }
}
