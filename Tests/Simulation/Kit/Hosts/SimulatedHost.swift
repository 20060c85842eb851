import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost

/// One life of a host process: the endpoint that production runs, the least exchange that keeps its books, and the images that it has loaded.
final class SimulatedHost {
    /// A module that is set up.
    struct Module {
        var epoch: Epoch
        /// The module's epoch in this process; what was held back for another one is not for it.
        var life: UInt64
        /// The start of its membership: an effect that was accepted for an earlier one is not meant for it.
        var since: UInt64
        var position: UInt64
        var sequences: [Topic: UInt64]
        /// The last tick of its schedule.
        var tick: Int64 = 0
        var running: Set<EffectID> = []
        /// The effects that its handlers have ended and it has not said yet.
        var ended: [Relux.Settled] = []
        /// It may handle what it hears.
        var isOpen = false
        /// The effects that came before it was open.
        var early: [(effect: EffectRecord, id: EffectID, topic: Topic)] = []
        /// How it leaves, once it does: from then on it says nothing new.
        var leaves: Departure.Kind?
        /// It starts nothing new: its next life does.
        var isYielding: Bool { leaves.map { $0 != .removed } ?? false }
        var state = SimulatedState()
    }
    typealias Work = (inout BusCore, Duration) -> [BusCore.Action]

    let id: HostID
    let life: Int
    let plugins: [String]
    var endpoint: Endpoint
    var modules: [ModuleID: Module] = [:]
    var version: UInt64 = 0
    var recipients: [Topic: [ModuleID]] = [:]
    var connections: [String] = []
    var subscriptions: [[UInt8]] = []
    var tickAt: Duration?

    // As the broker sees it.
    var line = BrokerLine<HostMessage>()
    var machine: HostMachine
    /// Until when the suspects of each module run; far in the future while it is not open.
    var suspects: [ModuleID: Duration] = [:]
    /// The machine's knowledge of the bus.
    var heard = [false, false]
    var machineTickAt: Duration?
    /// How far the journals have come, as the broker says.
    var known: [ModuleID: KnownLives] = [:]
    var hasBooted = false
    let born: Duration

    var core: BusCore { endpoint.core }
    /// The effects and settlements that its modules have said since the last turn.
    var intake = Intake(byteLimit: .max)

    init(id: HostID, life: Int, start: StartNumber, plugins: [String], core: BusCore, born: Duration) {
        self.id = id
        self.born = born
        var settings = HostMachine.Settings()
        settings.cleanUpLimit = .milliseconds(300)
        machine = HostMachine(
            HostMachine.Identity(
                host: id, pid: Int32(life), start: start, instance: "host-\(life)", endpoint: id.rawValue, tapEndpoint: ""),
            settings: settings)
        self.life = life
        self.plugins = plugins
        endpoint = Endpoint(core)
    }
}
