import Relux
@testable import ReluxBus
import ReluxPlugin

/// One life of a host process: the endpoint that production runs, the least exchange that keeps its books, and the images that it has loaded.
final class SimulatedHost {
    /// A module that is set up.
    struct Module {
        var epoch: Epoch
        /// The module's epoch in this process; what was held back for another one is not for it.
        var life: UInt64
        /// What was accepted for a membership before this one is not meant for it.
        var since: UInt64
        var position: UInt64
        var sequences: [Topic: UInt64]
        var running: Set<EffectID> = []
        /// What its handlers have ended and it has not said yet.
        var ended: [Relux.Settled] = []
        /// It may handle what it hears.
        var isOpen = false
        /// What came before it was open.
        var early: [(effect: EffectRecord, id: EffectID, topic: Topic)] = []
        /// It says nothing new.
        var isClosed = false
        /// It starts nothing new: its next life does.
        var isYielding = false
        var state = SimulatedState()
    }
    /// A loaded image, set up or not.
    struct Image {
        var declaration: ModuleDeclaration
        var phase = ModuleState.Phase.starting
        var epoch: Epoch?
        var promised: Epoch?
        /// The latest epoch that it was given: what still tries under an earlier one gives up.
        var ordered: Epoch?
        var isSuccessor = false
        var mayProceed = false
        /// How it leaves, once it does.
        var parting: Parting?
    }
    enum Parting {
        /// It is removed: what it has heard is handled now.
        case removed
        /// Its next life, here or elsewhere, goes on.
        case ending
        /// The same, with all other processes of the cluster at once.
        case orphaned
        case handedOver
        /// The same, and it is served again here at once.
        case givenUp
    }
    /// What is done one after the other, beside the orders.
    enum Turn {
        case welcome([ModuleID: Epoch])
        case leave(ModuleID)
        case standBy(ModuleID)
        case handOver(ModuleID)
        case serve(ModuleID, Epoch)
        case load(String)
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
    var images: [ModuleID: Image] = [:]
    var refusals: [ModuleID: HostMessage] = [:]
    /// The last life of each module here.
    var lastEpochs: [ModuleID: Epoch] = [:]
    /// How far the journals have come, as the broker says.
    var known: [ModuleID: KnownLives] = [:]
    var hasBooted = false
    var isWelcome = false
    var isEnding = false
    var hasServed = false
    /// The status with which it ends when it has served nothing.
    var hindrance: Int32 = 0
    /// Since when it waits to be heard and to hear.
    var joinStarted: Duration?
    /// Some module of it may be recovering.
    var isJoining = false
    var turns: [Turn] = []
    /// The module whose turn takes its time.
    var busy: ModuleID?

    var core: BusCore { endpoint.core }
    /// What its modules have said and settled since the last turn.
    var intake = Intake(byteLimit: .max)

    init(id: HostID, life: Int, plugins: [String], core: BusCore) {
        self.id = id
        self.life = life
        self.plugins = plugins
        endpoint = Endpoint(core)
    }
}
