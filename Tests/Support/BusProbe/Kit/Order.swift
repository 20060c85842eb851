package import Relux
package import ReluxControl

/// A module as a test describes it.
package struct Member: Codable, Sendable {
    package var id: ModuleID
    package var epoch: UInt64 = 1
    package var handles: [Domain: Script] = [:]
    package var emits: [Domain] = []
    /// Whether it owns, or has a relay of, the one snapshot type that there is.
    package var provides = false
    package var observes = false
    package var isSerial = false
    package var runningLimit = 64
    package var deadlineMilliseconds: Int
    /// False for one that declares what it handles but has no type to decode it with.
    package var bringsTypes = true

    package init(id: ModuleID, deadlineMilliseconds: Int) {
        self.id = id
        self.deadlineMilliseconds = deadlineMilliseconds
    }
}

/// A test's order to a host; each order is answered by one ``Reply``.
package enum Order: Codable, Sendable {
    case join(Member)
    /// The member's life here ends for one elsewhere; the host stands by.
    case handOver(ModuleID)
    case apply(ClusterPicture)
    /// Emits, and is answered when that has settled; other orders are not held up meanwhile.
    case say(Domain, Int, padding: Int, by: ModuleID)
    case open(gate: String)
    /// The owner's snapshot becomes this number.
    case show(Int, by: ModuleID)
    /// Asks for the value that the member's relay holds.
    case look(by: ModuleID)
    case counters
}

package enum Reply: Codable, Sendable {
    case done
    case answer(Answer)
    /// Nil when there is no relay.
    case view(View?)
    case counters(BusCounters)
    case failed(String)

    package struct View: Codable, Sendable, Equatable {
        package var number: Int
        package var isStale: Bool
        package init(number: Int, isStale: Bool) {
            self.number = number
            self.isStale = isStale
        }
    }
}

/// An event that a host reports by itself.
package enum Event: Codable, Sendable {
    package struct Came: Codable, Sendable, Equatable {
        package var module: ModuleID
        package var number: Int
        /// The rest of the deadline; nil when nobody waits.
        package var remainingMilliseconds: Int?
    }
    case came(Came)
    case waits(gate: String)
    case answered(ModuleID, Answer)
    /// The member's relay shows this number.
    case observed(ModuleID, Int)
    /// The owner of the snapshot is gone.
    case stale(HostID)
}

/// A host that does what a test asks, wherever it runs.
package protocol Obeying: Sendable {
    func perform(_ order: Order) async throws -> Reply
}
