public import ReluxWire
import Synchronization

/// A node: the modules registered with it, their states, and the exchange that carries effects between them.
///
/// A process may hold many. Inside a handler the global `actions { }` finds its node by itself; elsewhere use ``dispatcher``.
public final class Relux: Sendable {
    public let store = Store()
    /// The publisher's name of what is dispatched through ``dispatcher`` outside any module.
    public let name: ModuleID
    let exchange: Exchange
    let registrar = Registrar()
    let logger: (any Logger)?
    /// Asked for each dispatch: a look at the logger itself would copy it.
    let isLogged: Bool
    let clock: NodeClock
    let sealer: (any SecretSealing)?
    let defaultDeadline: Duration
    let drainLimit: Duration
    /// Given to coders, so that secrets are sealed and opened.
    let codingInfo: [CodingUserInfoKey: any Sendable]
    /// The life, on the exchange, of the one module of a cluster's node; 0 before it has joined, and in a node that stands alone.
    let currentLife = Atomic<UInt64>(0)
    /// The schedules of the registered modules, by module.
    let schedulers = Mutex<[ModuleID: Scheduler]>([:])
    let shapes = Mutex<[(name: String, version: UInt32, backTo: [UInt32])]>([])

    /// - Parameters:
    ///   - name: names the node as a publisher of effects.
    ///   - deadline: how long an `await actions { }` waits at most, unless it runs inside one that has less left.
    ///   - drainLimit: how long a removed module may finish what it has begun.
    public convenience init(
        name: ModuleID = "App", logger: (any Logger)? = nil, clock: NodeClock = .continuous,
        sealer: (any SecretSealing)? = nil, deadline: Duration = .seconds(30), drainLimit: Duration = .seconds(5)
    ) {
        self.init(
            name: name, exchange: Exchange(clock: clock), logger: logger, clock: clock, sealer: sealer,
            deadline: deadline, drainLimit: drainLimit)
        _ = exchange.add(.publisherOnly(name))
    }

    package init(
        name: ModuleID, exchange: Exchange, logger: (any Logger)?, clock: NodeClock, sealer: (any SecretSealing)?,
        deadline: Duration, drainLimit: Duration
    ) {
        self.name = name
        self.exchange = exchange
        (self.logger, isLogged) = (logger, logger != nil)
        self.clock = clock
        self.sealer = sealer
        self.defaultDeadline = deadline
        self.drainLimit = drainLimit
        codingInfo = sealer.map { [.reluxSealer: $0] } ?? [:]
    }

    /// Dispatches from outside any module, in the node's own name. It keeps the node alive.
    public var dispatcher: Dispatcher { Dispatcher(.node(self)) }

    /// Dispatches in the name of a module, which may keep it: it does not keep the node alive.
    public func dispatcher(for module: ModuleID) -> Dispatcher { Dispatcher(.module(module, .init(node: self))) }
}

extension Relux.Party {
    /// A party that says things and handles none: a node's own dispatcher.
    static func publisherOnly(_ id: ModuleID, numbers: Numbers = Numbers()) -> Self {
        Self(id: id, handler: NoHandler(), handles: [], emits: nil, isSerial: false, admission: .open, numbers: numbers)
    }

    private struct NoHandler: Relux.EffectHandling {
        nonisolated(nonsending) func handle(_ delivery: Relux.Delivery, in handler: Relux.Scope.Handler) async -> Relux.ActionResult {
            .success
        }
    }
}
