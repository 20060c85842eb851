import Relux

/// Effects and snapshots of modules that have not joined yet, or are held: the bus accepts them when it opens the module. Pure.
struct EarlyWords: Sendable {
    typealias Effect = (emission: Relux.Emission, wallTime: UInt64)

    private var effects: [ModuleID: [Effect]] = [:]
    private var snapshots: [ModuleID: [Topic: [UInt8]]] = [:]
    /// Effects of one module.
    static let limit = 4096

    /// - Returns: false when there is no room for it.
    mutating func append(_ emission: Relux.Emission, _ wallTime: UInt64) -> Bool {
        guard effects[emission.id.module, default: []].count < Self.limit else { return false }
        effects[emission.id.module, default: []].append((emission, wallTime))
        return true
    }

    /// The latest value of each type counts.
    mutating func show(_ type: Topic, of owner: ModuleID, _ payload: [UInt8]) { snapshots[owner, default: [:]][type] = payload }

    mutating func take(_ module: ModuleID) -> (effects: [Effect], snapshots: [Topic: [UInt8]]) {
        (effects.removeValue(forKey: module) ?? [], snapshots.removeValue(forKey: module) ?? [:])
    }

    /// It was never accepted.
    mutating func forget(_ module: ModuleID) { (effects[module], snapshots[module]) = (nil, nil) }
}
