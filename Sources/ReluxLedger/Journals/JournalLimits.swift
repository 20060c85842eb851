import ReluxControl
package import ReluxJournal
import ReluxWire

/// Limits on the room that journals take of a node's disk; all defaults are in the initialiser.
package struct JournalLimits: Sendable, Hashable {
    /// The amount that each module keeps of what everybody has settled.
    package var retention: JournalRetention
    /// Bytes that all journals of the node together may take; the oldest of what nobody needs goes first.
    package var nodeCap: Int
    /// Bytes that stay free on the disk: with fewer, sources wait, and are refused at their deadline. Handlers go on.
    package var reserve: Int

    package init(retention: JournalRetention = JournalRetention(), nodeCap: Int = JournalRetention.nodeCap, reserve: Int = 128 << 20) {
        self.retention = retention
        self.nodeCap = nodeCap
        self.reserve = reserve
    }

    /// As the configuration has them; see `deploy/cluster.yaml`.
    package static func fromEnvironment() -> JournalLimits {
        let age = EnvironmentLimits.duration("journal.retention-age", default: .seconds(86_400))
        return JournalLimits(
            retention: JournalRetention(
                byteCount: EnvironmentLimits.integer("journal.retention-mebibytes", in: 1...1_048_576, default: 256) << 20,
                ageMilliseconds: UInt64(max(0, DurationText.milliseconds(age)))),
            nodeCap: EnvironmentLimits.integer("journal.node-mebibytes", in: 1...16_777_216, default: 8192) << 20,
            reserve: EnvironmentLimits.integer("journal.reserve-mebibytes", in: 0...16_777_216, default: 128) << 20)
    }
}
