import Relux

/// Refused dispatches of modules that have left the process, or have not joined yet: their journals get them when they come. Bounded; what finds no
/// place is counted and in the log. It ends with the process.
struct LateRefusals: Sendable {
    private var records: [ModuleID: [RefusedRecord]] = [:]
    /// The number of modules that are kept, and of sites of each.
    static let limit = 64

    mutating func keep(_ record: RefusedRecord, _ count: UInt64, of module: ModuleID) {
        guard records[module] != nil || records.count < Self.limit else { return }
        var record = record
        record.count = count
        var kept = records[module] ?? []
        // Where there are too many sites the reason's sum is still right.
        let same = kept.firstIndex { $0.isOfSite(of: record) } ?? (kept.count < Self.limit ? nil : kept.firstIndex { $0.reason == record.reason })
        if let same {
            kept[same].count += count
        } else if kept.count < Self.limit {
            kept.append(record)
        }
        records[module] = kept
    }

    mutating func take(_ module: ModuleID) -> [RefusedRecord] { records.removeValue(forKey: module) ?? [] }
}

extension RefusedRecord {
    fileprivate func isOfSite(of other: Self) -> Bool {
        (reason, topic, caseName) == (other.reason, other.topic, other.caseName) && site == other.site
    }
}
