import Relux
import ReluxControl
import ReluxLedger

extension BusCounters {
    /// How many notes are kept.
    private static var noteLimit: Int { 32 }

    mutating func noteForgotten(by module: ModuleID, _ topic: Topic, _ range: ClosedRange<UInt64>) {
        let note = ClusterNote(.journal, Ledger.text(ofForgotten: range, on: topic, of: module), of: module)
        if !forgotten.contains(note), forgotten.count < Self.noteLimit { forgotten.append(note) }
    }
}
