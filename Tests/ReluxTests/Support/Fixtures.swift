import Relux
import ReluxTestKit

enum Work: Relux.Effect, Hashable {
    case a, b, c
    case number(Int)
    case text(String)
}

enum Reply: Relux.Effect, Equatable {
    case ping(Int)
    case pong(Int)
}

enum Note: Relux.Action, Equatable {
    case noted(Int)
}

enum First {}
enum Second {}
enum Third {}

/// A state that has clean-up, relays nothing, and counts what it reduced.
actor Counter: Relux.BusinessState {
    private(set) var total = 0
    private(set) var cleanups = 0
    func reduce(with action: any Relux.Action) async {
        if case .number(let n)? = action as? Work { total += n }
        if case .noted(let n)? = action as? Note { total += n }
    }
    func cleanup() async {
        total = 0
        cleanups += 1
    }
}

struct Plain: Relux.Module {
    let moduleID: ModuleID
    var states: [any Relux.AnyState] = []
    var sagas: [any Relux.Saga] = []
    var relays: [any Relux.StateRelaying] = []
    var dependencies: [any Relux.Module] = []
    var handles: [any Relux.Effect.Type]?
    var emits: [any Relux.Effect.Type]?
    var isSerial = false

    init(
        _ id: ModuleID, states: [any Relux.AnyState] = [], sagas: [any Relux.Saga] = [],
        relays: [any Relux.StateRelaying] = [], dependencies: [any Relux.Module] = []
    ) {
        moduleID = id
        self.states = states
        self.sagas = sagas
        self.relays = relays
        self.dependencies = dependencies
    }
}

/// A thrown error that a flow reports.
struct Refusal: Error {}

extension Relux.ActionResult {
    /// The codes of its failures.
    var codes: [String] { failures.map(\.code) }
}
