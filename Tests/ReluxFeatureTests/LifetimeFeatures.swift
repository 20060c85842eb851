import ReluxFeature

/// A child with one effect.
struct Cell: Reducer {
    struct State: Equatable, Identifiable {
        var id: Int
        var owner = "alice"
        var answer = ""
    }
    enum Action: Equatable, Sendable {
        case ask, hurry
        case answered(String)
    }
    let work: @Sendable (Send<Action>) async throws -> Void

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .ask: return .run(name: "asking", operation: work)
            case .hurry: return .merge(.send(.answered("\(state.owner)'s first")), .send(.answered("\(state.owner)'s second")))
            case .answered(let answer):
                state.answer = answer
                return .none
            }
        }
    }
}

/// A child whose state says itself which life of the child it is.
struct Host: Reducer {
    struct State: Equatable, Identifiable, FeatureInstance {
        let instance = InstanceID()
        var cell = Cell.State(id: 1)
        var id: Int { cell.id }
    }
    let cell: Cell
    var body: some Reducer<State, Cell.Action> {
        Reduce { state, action in cell.reduce(into: &state.cell, action: action) }
    }
}

/// All ways in which a feature holds a child.
struct Room: Reducer {
    enum Place: CaseIterable {
        case cell, guest, host, shelf, door
        func action(_ action: Cell.Action) -> Room.Action {
            switch self {
            case .cell: .cells(.element(id: 1, action: action))
            case .guest: .guest(action)
            case .host: .host(action)
            case .shelf: .shelf(action)
            case .door: .door(.open(action))
            }
        }
        var caseText: String {
            switch self {
            case .cell: ".room.cells.element"
            case .guest: ".room.guest"
            case .host: ".room.host"
            case .shelf: ".room.shelf"
            case .door: ".room.door.open"
            }
        }
    }
    struct State: Equatable {
        var cells: IdentifiedArrayOf<Cell.State> = [Cell.State(id: 1), Cell.State(id: 2)]
        var guest: Cell.State? = Cell.State(id: 1)
        var host = Host.State()
        var shelf: [String: Cell.State] = ["a": Cell.State(id: 1)]
        var door = Door.State.open(Cell.State(id: 1))
    }
    enum Action: Equatable, CasePathable {
        case cells(IdentifiedActionOf<Cell>)
        case guest(Cell.Action), host(Cell.Action), shelf(Cell.Action), door(Door.Action)
        struct Cases: Sendable {
            let cells = CasePath(Action.cells) { if case .cells(let action) = $0 { action } else { nil } }
            let guest = CasePath(Action.guest) { if case .guest(let action) = $0 { action } else { nil } }
            let host = CasePath(Action.host) { if case .host(let action) = $0 { action } else { nil } }
            let shelf = CasePath(Action.shelf) { if case .shelf(let action) = $0 { action } else { nil } }
            let door = CasePath(Action.door) { if case .door(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }
    let cell: Cell
    var isJealous = false

    var body: some ReducerOf<Self> {
        Scope(state: \.host, action: \.host) { Host(cell: cell) }
        Scope(state: \.door, action: \.door) { Door(cell: cell) }
        Reduce { state, action in
            if isJealous, case .cells(.element(let id, .ask)) = action { state.cells.remove(id: id) }
            return .none
        }
        .forEach(\.cells, action: \.cells) { cell }
        .ifLet(\.guest, action: \.guest) { cell }
        .ifLet(\.shelf["a"], action: \.shelf) { cell }
    }
}

/// A feature whose state is an enum.
struct Door: Reducer {
    enum State: Equatable, CasePathable {
        case shut
        case open(Cell.State)
        struct Cases: Sendable {
            let open = CasePath(State.open) { if case .open(let state) = $0 { state } else { nil } }
        }
        static let cases = Cases()
    }
    enum Action: Equatable, CasePathable {
        case open(Cell.Action)
        struct Cases: Sendable {
            let open = CasePath(Action.open) { if case .open(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }
    let cell: Cell

    var body: some ReducerOf<Self> {
        EmptyReducer().ifCaseLet(\.open, action: \.open) { cell }
    }
}

/// The root, which changes what its room holds without asking it.
struct House: Reducer {
    struct State: Equatable {
        var room = Room.State()
    }
    enum Action: Equatable, CasePathable {
        case room(Room.Action)
        case change(@Sendable (inout State) -> Void)
        struct Cases: Sendable {
            let room = CasePath(Action.room) { if case .room(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()

        static func == (a: Self, b: Self) -> Bool {
            if case .room(let a) = a, case .room(let b) = b { a == b } else { false }
        }
    }
    let cell: Cell
    var isJealous = false
    var taking: LifetimeTests.Taking?
    /// The child is taken away when it is told this.
    var on = Cell.Action.ask

    var body: some ReducerOf<Self> {
        Scope(state: \.room, action: \.room) { Room(cell: cell, isJealous: isJealous) }
        Reduce { state, action in
            if case .change(let change) = action { change(&state) }
            if let taking, action == .room(taking.place.action(on)) { taking.change(&state) }
            return .none
        }
    }
}

/// A feature that holds another one without a `Scope`.
struct Wrapped: Reducer {
    struct Inner: Reducer {
        struct State: Equatable {
            var cells: IdentifiedArrayOf<Cell.State> = [Cell.State(id: 1)]
        }
        enum Action: Equatable, CasePathable {
            case cells(IdentifiedActionOf<Cell>)
            case empty, renew
            struct Cases: Sendable {
                let cells = CasePath(Action.cells) { if case .cells(let action) = $0 { action } else { nil } }
            }
            static let cases = Cases()
        }
        let cell: Cell
        var body: some ReducerOf<Self> {
            Reduce { state, action in
                if action == .empty { state.cells = [] }
                if action == .renew { state.cells = [Cell.State(id: 1)] }
                return .none
            }
            .forEach(\.cells, action: \.cells) { cell }
        }
    }
    struct State: Equatable {
        var inner = Inner.State()
    }
    enum Action: Equatable {
        case inner(Inner.Action)
    }
    let cell: Cell

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            guard case .inner(let action) = action else { return .none }
            return Inner(cell: cell).reduce(into: &state.inner, action: action).map(Action.inner)
        }
    }
}

/// A feature whose elements say themselves which instance they are.
struct Inn: Reducer {
    struct State: Equatable {
        var hosts: IdentifiedArrayOf<Host.State> = [Host.State()]
    }
    enum Action: Equatable, CasePathable {
        case hosts(IdentifiedAction<Int, Cell.Action>)
        case carryOver, renew
        struct Cases: Sendable {
            let hosts = CasePath(Action.hosts) { if case .hosts(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }
    let cell: Cell
    var body: some ReducerOf<Self> {
        Reduce { state, action in
            if action == .carryOver { state.hosts = IdentifiedArray(uniqueElements: state.hosts.map { $0 }) }
            if action == .renew { state.hosts = [Host.State()] }
            return .none
        }
        .forEach(\.hosts, action: \.hosts) { Host(cell: cell) }
    }
}
