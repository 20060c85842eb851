import ReluxTestKit

@testable import Relux

/// The way out of a process: what was said there, and what was settled.
final class RecordingUplink: Relux.Uplink {
    let appended = Recorder<Relux.Appended>()
    let settlements = Recorder<Relux.Settled>()
    func append(_ appended: Relux.Appended) { self.appended.record(appended) }
    func settled(_ settled: Relux.Settled) { settlements.record(settled) }
    func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { nil }
    var sealer: (any Relux.SecretSealing)? { XORSealing() }
}
