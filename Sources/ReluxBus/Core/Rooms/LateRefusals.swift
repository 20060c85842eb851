import Relux
import ReluxControl

/// Refused dispatches of modules that have left the process, or have not joined yet: their journals get them when they come. Bounded; what finds no
/// place is counted and in the log. It ends with the process; until then the broker hears of it (``notes``).
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

    /// For each module how often, why and where, as in `3 dispatches of Notes, which is not in this process, refused (3 closed) at A.swift:7`.
    var notes: [ClusterNote] {
        records.sorted { $0.key < $1.key }.map { module, records in
            let reasons = Dictionary(records.map { ($0.reason, $0.count) }, uniquingKeysWith: +).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let sites = Set(records.map { "\($0.site.file):\($0.site.line)" }).sorted()
            let total = reasons.reduce(0) { $0 + $1.value }
            let line = "\(total.counted("dispatch", "dispatches")) of \(module), which is not in this process, refused (\(reasons.map { "\($0.value) \($0.key)" }.joined(separator: ", "))) at "
                + "\(sites[0])\(sites.count > 1 ? " and \((sites.count - 1).counted("other place"))" : "")"
            return ClusterNote(.refusals, line, of: module)
        }
    }

    mutating func take(_ module: ModuleID) -> [RefusedRecord] { records.removeValue(forKey: module) ?? [] }
}

extension RefusedRecord {
    fileprivate func isOfSite(of other: Self) -> Bool {
        (reason, topic, caseName) == (other.reason, other.topic, other.caseName) && site == other.site
    }
}
