import Relux
@testable import ReluxBus

/// One life of a host process: the core that production runs, and the least exchange that keeps its books.
struct SimulatedHost {
    struct Module {
        var epoch: Epoch
        var position: UInt64
        var sequences: [Topic: UInt64] = [:]
        var running = 0
        var isClosed = false
    }
    /// An effect that was accepted, by recipient: how it ended, nil while it pends.
    struct Accepted {
        var outcomes: [ModuleID: String?]
    }

    let id: HostID
    let life: Int
    var core: BusCore
    var modules: [ModuleID: Module] = [:]
    var version: UInt64 = 0
    var recipients: [Topic: [ModuleID]] = [:]
    var accepted: [EffectID: Accepted] = [:]
    var connections: [String] = []
    var subscriptions: [[UInt8]] = []
    var tickAt: Duration?

    /// What nobody has answered for of the modules that still live; an earlier life's waiting ended with it.
    var unended: [EffectID] {
        accepted.filter { effect, entry in
            modules[effect.module]?.epoch.rawValue == effect.position >> 40 && entry.outcomes.values.contains(nil)
        }.map(\.key).sorted()
    }

    mutating func end(_ effect: EffectID, at recipient: ModuleID, as outcome: String) {
        guard let known = accepted[effect]?.outcomes[recipient], known == nil else { return }
        accepted[effect]?.outcomes[recipient] = .some(outcome)
    }

    mutating func lose(_ recipient: ModuleID) {
        for effect in accepted.keys { end(effect, at: recipient, as: "lost") }
        core.forget(recipient)
    }
}
