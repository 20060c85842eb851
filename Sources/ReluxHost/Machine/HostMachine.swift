package import Relux
package import ReluxControl

/// Decides what a host process does with its modules: it loads, sets up, opens, hands over and drains them as the broker orders.
///
/// Design notes. The machine is pure: ``on(_:now:bus:)`` takes what has happened and returns what to do. `HostRuntime` performs the actions in a
/// real process, and the simulator performs them on a virtual clock. Orders come at any time; what takes a module's own time (loading, making,
/// draining) is a ``Turn`` and runs one after the other, so that a slow module delays neither a picture nor the end of the process. `life` is
/// where each module stands. The epoch that a module was promised follows from the turns that wait, so it is not kept twice.
package struct HostMachine: Sendable {
    /// The names by which the broker and other hosts know this process.
    package struct Identity: Sendable {
        package var host: HostID
        package var pid: Int32
        /// nil if no supervisor started it.
        package var start: StartNumber?
        package var instance: String
        package var endpoint: String
        package var tapEndpoint: String

        package init(host: HostID, pid: Int32, start: StartNumber?, instance: String, endpoint: String, tapEndpoint: String) {
            self.host = host
            self.pid = pid
            self.start = start
            self.instance = instance
            self.endpoint = endpoint
            self.tapEndpoint = tapEndpoint
        }
    }
    package struct Settings: Sendable {
        /// How long a module that joins waits for those who must hear it. What they miss is repaired.
        package var hearingPatience = Duration.seconds(1)
        /// How long a refusal waits for a broker that notes it.
        package var refusalLimit = Duration.seconds(10)
        /// How long the turns behind a hand-over wait for the clean-up of the module that was handed over.
        package var cleanUpLimit = Duration.seconds(5)

        package init() {}
    }
    package struct Module: Sendable {
        package var image: HostedImage
        package var life = ModuleLife.loaded
        /// The epoch for which the order to proceed has come.
        var permit: Epoch?
    }
    /// A refusal that the broker has not noted yet. The process stays until then, or its end overtakes the reason.
    struct Refusal: Sendable {
        var module: ModuleID
        var code: String
        var message: String
        var since: Duration

        var said: HostMessage { .refused(module: module, code: code, message: message) }
    }
    enum Turn: Sendable {
        case load(directory: String, ModuleKinds?)
        case hello(resumed: Bool)
        case welcome([ModuleID: Epoch])
        case leave(ModuleID)
        case standBy(ModuleID)
        case handOver(ModuleID, older: [String: UInt32])
        case serve(ModuleID, Epoch)
        case again(ModuleID, Epoch)
    }
    /// The turn that takes its time.
    enum Step: Sendable {
        case loading(directory: String)
        /// `welcome`: with whom it is set up; nil outside of a welcome.
        case settingUp(ModuleID, Attempt, welcome: Welcome?)
        case leaving(ModuleID)
        /// `next`: the epoch under which the module is served again here at once.
        case handingOver(ModuleID, next: Epoch?)
        /// The module's life of that epoch is over.
        case cleaningUp(ModuleID, Epoch, since: Duration, next: Epoch?)
    }
    /// The modules of one welcome are all set up before one of them is opened: until then it is not known whose suspects run first.
    struct Welcome: Sendable {
        var waiting: [ModuleID: Epoch]
        var done: Set<ModuleID> = []
    }
    /// The end of the process, which has begun.
    enum Ending: Sendable { case asked, orphaned, done }

    let identity: Identity
    let settings: Settings
    package internal(set) var modules: [ModuleID: Module] = [:]
    /// The epoch of each module's last life here: a broker that was away may take that life for the present one.
    var lastEpochs: [ModuleID: Epoch] = [:]
    var turns: [Turn] = []
    var step: Step?
    var refusals: [Refusal] = []
    var refusalsSaidAt = Duration.zero
    /// nil until the first one.
    var helloSaidAt: Duration?
    /// The broker asked for a hello right behind the last one.
    var owesHello = false
    package internal(set) var isWelcome = false
    /// When a module was set up last.
    var joinStarted: Duration?
    var ending: Ending?
    /// Some module was set up in this process, or has stood by.
    var hasServed = false
    /// Why nothing was served, as far as that is known.
    var hindrance = HostEnd.done
    /// The actions of the current call, in order.
    var actions: [Action] = []

    package init(_ identity: Identity, settings: Settings = Settings()) { (self.identity, self.settings) = (identity, settings) }

    /// Takes in what has happened; returns what to do, in order.
    ///
    /// - Parameters:
    ///   - now: time since the start of the process; it never goes back.
    ///   - bus: the state of this process's end of the bus now.
    package mutating func on(_ event: Event, now: Duration, bus: BusStatus) -> [Action] {
        // Before anything else: whose trial begins now is not among those of whom `bus` tells.
        endTrials(now, bus)
        if ending == nil { take(event, now, bus) } else { takeAtEnd(event, now) }
        if ending == nil { proceed(now, bus) }
        defer { actions = [] }
        return actions
    }

    private mutating func take(_ event: Event, _ now: Duration, _ bus: BusStatus) {
        switch event {
        case .begin(let linked, let plugins, let kinds):
            for image in linked { modules[image.id] = Module(image: image) }
            turns = plugins.map { .load(directory: $0, kinds) } + [.hello(resumed: false)]
        case .order(let order): obey(order, now, bus)
        case .loaded(let directory, let outcome): loaded(directory, outcome, now)
        case .setUp(let id, let outcome): setUp(id, outcome, now)
        case .gone(let id, let failure): gone(id, failure, now)
        case .cleaned(let id, let epoch): cleaned(id, epoch)
        case .heard: break
        case .tick: tick(now, bus)
        case .empty: if isEmpty { end(.done, why: "", now) }
        case .end(let why): end(.asked, why: why, now)
        case .orphaned: end(.orphaned, why: "", now)
        }
        proceedJoining(now, bus)
    }

    /// Begins turns until one takes its time.
    private mutating func proceed(_ now: Duration, _ bus: BusStatus) {
        while step == nil, ending == nil, !turns.isEmpty {
            begin(turns.removeFirst(), now, bus)
            proceedJoining(now, bus)
        }
        // The orders that have come meanwhile are obeyed first: one of them may be to load.
        if isEmpty { actions.append(.lookAgain) }
    }

    /// A host whose last module has left, or was refused to the broker's knowledge, has nothing more to do.
    private var isEmpty: Bool { isWelcome && modules.isEmpty && refusals.isEmpty && turns.isEmpty && step == nil }

    package var isEnding: Bool { ending != nil }

    /// No module is on its way anywhere, and the broker has noted all that was refused.
    package var isAtRest: Bool {
        isWelcome && !isEnding && !owesHello && turns.isEmpty && step == nil && refusals.isEmpty && !modules.isEmpty
            && modules.values.allSatisfy { module in
                switch module.life {
                case .ready(let membership): membership.trial == nil
                case .standby: true
                case .loaded, .delayed, .outlived, .joining, .waiting, .draining: false
                }
            }
    }

    mutating func setLife(_ id: ModuleID, _ life: ModuleLife) {
        modules[id]?.life = life
        sayState(of: id)
    }

    mutating func sayState(of id: ModuleID) {
        if let module = modules[id] { actions.append(.send(.state(module: id, state: module.life.state))) }
    }
}
