import ReluxJournal
import ReluxLedger
import ReluxWire

/// A schedule, and in whose journal it stands.
struct FoundSchedule: Sendable {
    let module: ModuleID
    let record: ScheduleRecord

    /// The effect of its last tick; nil when it has had none.
    var effect: EffectID? { record.position == 0 ? nil : EffectID(module: module, position: record.position) }
}

extension CommandSession {
    /// All schedules of the node by module and name, and the journals that may hold more of them.
    ///
    /// - Parameter module: only those of this one.
    func schedules(of module: String? = nil) throws(CLIError) -> (found: [FoundSchedule], unreadable: [UnreadableJournal]) {
        let (ledgers, unreadable) = try ledgers(of: module)
        let found = ledgers.flatMap { module, ledger in
            ledger.schedules.values.filter { !$0.isRemoved }.map { FoundSchedule(module: module, record: $0) }
        }
        return (found.sorted { ($0.module, $0.record.scheduleName) < ($1.module, $1.record.scheduleName) }, unreadable)
    }
}
