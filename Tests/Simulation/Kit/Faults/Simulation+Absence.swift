import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxRegistry

/// Members that are known to be absent, and what those know who speak to them.
extension Simulation {
    /// Waits for the provider in a life that has not been ready.
    static let importer: ModuleID = "E"
    /// Comes and goes like all others, and always comes back.
    static let provider: ModuleID = "B"

    static func imports(of name: ModuleID) -> [String] { name == importer ? ["\(provider)ReluxInt"] : [] }

    /// When all has been judged that the broker has heard.
    mutating func checkAbsences() {
        guard let registry = broker?.registry, registry.boot != .closing else { return }
        let known = registry.index.absences
        for (name, why) in known.sorted(by: { $0.key < $1.key }) where registry.modules[name]?.isMember != true {
            faults.append("\(name) is absent (\(why)) and no member")
        }
        for record in registry.modules.values.sorted(by: { $0.order < $1.order }) where record.isMember {
            guard let isAbsent = isAbsent(record, registry), isAbsent != (known[record.id] != nil) else { continue }
            faults.append("\(record.id) is \(record.state), and nobody waits for it: \(known[record.id] ?? "not so")")
        }
        for host in hosts.values.sorted(by: { $0.life < $1.life }) {
            // A host that has not said hello may have a picture of this number from a later registry.
            guard let picture = host.core.membership.picture, picture.version == registry.pictureVersion,
                registry.connections[Self.connection(of: host.life)] != nil, picture.absences != known
            else { continue }
            faults.append("\(host.id) has picture \(picture.version) and holds for absent \(picture.absences), which is \(known)")
        }
        if !known.isEmpty { tally.absences += 1 }
    }

    /// nil where that takes more than the state.
    private func isAbsent(_ record: ModuleRecord, _ registry: Registry) -> Bool? {
        if record.isLeaving || registry.handovers[record.id] != nil { return false }
        switch record.state.phase {
        case .ready, .starting, .recovering, .declared, .verified, .draining: return false
        case .quarantined, .refused: return record.isLive && record.present.instance.wasReady ? nil : true
        case .waiting where record.isLive && record.present.instance.wasReady: return false
        case .waiting where registry.hosts[record.host]?.connection != nil:
            return record.id == Self.importer && registry.modules[Self.provider] == nil ? true : nil
        case .waiting, .standby, .stopped, .backoff: return nil
        }
    }

    /// Whom the effect is for: all that its picture names, who is absent among them.
    mutating func checkRecipients(_ id: EffectID, _ topic: Topic, _ recipients: [ModuleID], at version: UInt64) {
        guard let named = pictured[version]?.map({ $0[topic] ?? [] }), !named.contains(where: { Set($0) == Set(recipients) }) else { return }
        faults.append("\(id) is for \(recipients), and picture \(version) has \(named) for \(topic)")
    }
}
