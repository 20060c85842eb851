import ReluxTestKit

/// The faults of a cluster and their times, decided by a seed alone: the same seed is the same plan.
///
/// The work that the plan hits is up to the scheduler of the machine, so a seed that failed may have to be played more than once.
struct FaultPlan: Sendable, Equatable {
    enum Kind: String, CaseIterable, Sendable {
        /// SIGKILL.
        case kill
        /// SIGSTOP, and SIGCONT when its length is over.
        case freeze
        /// Another build takes a module over, or gives it back; what is done meanwhile falls into the hand-over.
        case upgrade
        /// The disk of the run directory has no room for that time.
        case fill
        /// The files that the process has in the run directory are deleted, journals and state aside.
        case vanish
        /// Peers connect to it until it has hardly a descriptor left, for that time.
        case crowd
        /// It is killed, and before it is started again a copy of its module's journal takes the journal's place.
        case restore
    }

    struct Step: Sendable, Equatable {
        let kind: Kind
        /// A host, ``Faults/broker``, ``Faults/supervisor`` or ``Faults/disk``.
        let target: String
        /// Before the target is looked for.
        let pause: Duration
        /// It waits until a handler of the target, or of any host for those that have none, is inside an await, and then for that time.
        let depth: Duration?
        /// How long a freeze, a full disk or a crowd lasts.
        let length: Duration
        /// When the supervisor dies, the others are killed too, as when the machine takes them all, instead of ending by themselves.
        let takesAll: Bool
        /// The process that was started last, where two fit, as in a hand-over.
        let isYounger: Bool
    }

    /// How often something is done to somebody.
    struct Share: Sendable {
        let kind: Kind
        let target: String
        let count: Int
    }

    let seed: UInt64
    private(set) var steps: [Step]

    /// The first steps alone.
    func first(_ count: Int) -> FaultPlan {
        var plan = self
        plan.steps = Array(steps.prefix(count))
        return plan
    }

    /// - Parameters:
    ///   - aimed: how many of a hundred steps wait for a handler.
    ///   - opening: what is done before all else, while a handler is inside an await.
    init(seed: UInt64, _ shares: [Share], aimed: Int = 75, opening: (kind: Kind, target: String)? = nil) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        var order = shares.flatMap { share in Array(repeating: (share.kind, share.target), count: share.count) }
        order.shuffle(using: &random)
        let shuffled = order.map { kind, target in
            Step(
                kind: kind, target: target, pause: .milliseconds(random.below(60)),
                depth: random.chance(of: aimed) ? .microseconds(random.below(4000)) : nil,
                length: .milliseconds(20 + random.below(280)), takesAll: random.chance(of: 85), isYounger: random.chance(of: 50))
        }
        let first = opening.map { kind, target in
            Step(
                kind: kind, target: target, pause: .zero, depth: .zero, length: .milliseconds(100), takesAll: false, isYounger: false)
        }
        steps = (first.map { [$0] } ?? []) + shuffled
    }
}

extension SeededRandom {
    /// A number in 0..<limit.
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
