import Relux
import ReluxControl
@testable import ReluxHost
import ReluxPlugin

/// A machine on a clock of its own, and what it asks for in words.
struct HostMachineBench {
    var machine: HostMachine
    var now = Duration.zero
    var bus = BusStatus(isJoined: true, isHeard: true, unanswered: [], suspects: [], pictureVersion: 1)

    /// A host that serves these modules, welcomed.
    init(_ names: ModuleID..., cleanUpLimit: Duration = .seconds(5)) {
        var settings = HostMachine.Settings()
        settings.cleanUpLimit = cleanUpLimit
        machine = HostMachine(HostMachine.Identity(host: "h", pid: 1, start: nil, instance: "1", endpoint: "e", tapEndpoint: "t"), settings: settings)
        on(.begin(linked: names.map(Self.image), plugins: [], nil))
    }

    static func image(_ name: ModuleID) -> HostedImage {
        HostedImage(
            ModuleDeclaration(id: name, version: "1.0.0", kind: .domain, handles: [], emits: []), imports: [], directory: "packed/\(name)/1.0.0")
    }

    static func picture(_ version: UInt64 = 1) -> ClusterPicture { ClusterPicture(version: version, members: [], hosts: []) }

    @discardableResult mutating func on(_ event: HostMachine.Event) -> [String] {
        machine.on(event, now: now, bus: bus).flatMap(Self.words)
    }

    @discardableResult mutating func on(_ order: HostOrder) -> [String] { on(.order(order)) }

    @discardableResult mutating func welcome(_ epochs: [ModuleID: Epoch]) -> [String] { on(.welcome(epochs: epochs, picture: Self.picture())) }

    @discardableResult mutating func after(_ duration: Duration) -> [String] {
        now += duration
        return on(.tick)
    }

    /// Ends the module's set-up with the outcome.
    @discardableResult mutating func setUp(_ name: ModuleID, _ outcome: HostMachine.SetUpOutcome = .done(hasSuspects: false)) -> [String] {
        on(.setUp(name, outcome))
    }

    /// A module that is ready under epoch 1.
    mutating func serve(_ name: ModuleID) {
        welcome([name: Epoch(1)])
        setUp(name)
        on(.proceed(module: name))
    }

    private static func words(_ action: HostMachine.Action) -> [String] {
        switch action {
        case .send(.hello(let hello)):
            ["hello" + hello.modules.map { " \($0.declaration.id) \($0.epoch.map { "\($0)" } ?? "-") \($0.state.phase)" }.joined()]
        case .send(.state(let name, let state)): ["\(name) is \(state.phase)"]
        case .send(.left(let name)): ["\(name) left"]
        case .send(.refused(let name, let code, _)): ["\(name) is refused: \(code)"]
        case .send(.outlived(let name, let epoch)): ["\(name) is outlived by \(epoch)"]
        case .send: ["another word"]
        case .load(let directory, _): ["load \(directory)"]
        case .setUp(let name, let attempt): ["set \(name) up under \(attempt.epoch)\(attempt.isHeld ? ", held" : "")"]
        case .standBy(let name): ["stand by for \(name)"]
        case .open(let name): ["open \(name)"]
        case .handOver(let name, _): ["hand \(name) over"]
        case .leave(let name, let kind): ["\(name) leaves, \(kind)"]
        case .lookAgain: ["look again"]
        case .exit(let end): ["exit \(end)"]
        case .log, .readTables, .standDown, .opened, .release, .sayStored, .sayBarrier, .sayTotals, .beginEnd: []
        }
    }
}
