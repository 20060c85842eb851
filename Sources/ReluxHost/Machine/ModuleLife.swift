package import Relux
package import ReluxControl

/// Where a module of this process stands between its loading and its end.
package enum ModuleLife: Sendable {
    /// Its library is loaded. The broker has not said yet what the module is here for.
    case loaded
    /// Another process serves it and will hand it over, or this process has handed it over.
    case standby
    /// Its set-up failed for a reason that may pass. It is tried again at that time.
    case delayed(Attempt, until: Duration, why: String)
    /// Another process wrote its journal under this later epoch. The broker gives it a still later one.
    case outlived(by: Epoch, isHeld: Bool)
    /// It is set up, and waits until all hosts hear each other.
    case joining(Membership, unanswered: [HostID])
    /// It waits for the order to proceed.
    case waiting(Membership)
    case ready(Membership)
    /// It takes nothing new and ends what it has begun.
    case draining(Departure)
}

/// A try to set a module up.
package struct Attempt: Sendable, Equatable {
    package var epoch: Epoch
    /// The module takes over from another process: what it says is held until it is opened, and it stands by again when the set-up fails.
    package var isHeld: Bool
}

/// A module that is set up.
package struct Membership: Sendable, Equatable {
    package var epoch: Epoch
    /// Whether its suspects have had their turn; nil when it has none.
    package var trial: Trial?
}

/// Whether the effects that a module handled when its process died have been run again.
package enum Trial: Sendable, Equatable {
    case due
    case running(since: Duration)
}

/// A module on its way out.
package struct Departure: Sendable {
    package enum Kind: Sendable {
        /// The module is removed: what waits for it is handled now, for there is no next life.
        case removed
        /// The process ends and the module stays a member: what it has not begun waits for its next life.
        case ending
        /// The same, with all other processes of the cluster at once.
        case orphaned
        /// Another process serves it next.
        case handedOver
    }
    package var kind: Kind
    package var membership: Membership
    /// The broker, which waits for this hand-over, is told of its end. False when the module is served again here at once.
    package var isSaid = true
    package var why = ""
}

extension ModuleLife {
    /// The same in the broker's words.
    package var state: ModuleState {
        switch self {
        case .loaded: ModuleState(.starting)
        case .standby: ModuleState(.standby)
        case .delayed(_, _, let why): ModuleState(.recovering, why: why)
        case .outlived(let epoch, _): ModuleState(.recovering, why: "it waits for a later epoch than \(epoch)")
        case .joining(_, let hosts) where hosts.isEmpty: ModuleState(.recovering)
        case .joining(_, let hosts):
            ModuleState(.recovering, why: "no answer yet from \(hosts.map(\.rawValue).joined(separator: ", "))")
        case .waiting: ModuleState(.waiting, why: "for the order to proceed")
        case .ready: ModuleState(.ready)
        case .draining(let departure): ModuleState(.draining, why: departure.why)
        }
    }

    /// nil while the module is not set up.
    package var membership: Membership? {
        switch self {
        case .joining(let membership, _), .waiting(let membership), .ready(let membership): membership
        case .draining(let departure): departure.membership
        case .loaded, .standby, .delayed, .outlived: nil
        }
    }

    package var isSetUp: Bool { membership != nil }

    /// The suspects have ended, or have had their time.
    mutating func endTrial() {
        switch self {
        case .ready(var membership):
            membership.trial = nil
            self = .ready(membership)
        case .draining(var departure):
            departure.membership.trial = nil
            self = .draining(departure)
        case .loaded, .standby, .delayed, .outlived, .joining, .waiting: break
        }
    }

    /// Its next set-up takes over from another process.
    var isSuccessor: Bool {
        switch self {
        case .standby: true
        case .delayed(let attempt, _, _): attempt.isHeld
        case .outlived(_, let isHeld): isHeld
        case .loaded, .joining, .waiting, .ready, .draining: false
        }
    }
}
