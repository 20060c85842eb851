import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// Effects of children end with the child, whoever takes it away.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct LifetimeTests {
    /// Every way in which a running child can be replaced or taken away, by somebody who is not the reducer that holds it.
    enum Taking: String, CaseIterable {
        case elementsByTheRoot, listByTheRoot, elementInsertedAnew, elementsMadeAnew, equalElementsMadeAnew, equalElementInANewCollection
        case optionalOfAChild, otherIDInAScope, otherInstanceInAScope, dictionaryEntry, caseOfAnEnum, caseWithinACase

        /// Where the child is before, and what the root does to it.
        var place: Room.Place {
            switch self {
            case .elementsByTheRoot, .listByTheRoot, .elementInsertedAnew, .elementsMadeAnew, .equalElementsMadeAnew, .equalElementInANewCollection:
                .cell
            case .optionalOfAChild: .guest
            case .otherIDInAScope, .otherInstanceInAScope: .host
            case .dictionaryEntry: .shelf
            case .caseOfAnEnum, .caseWithinACase: .door
            }
        }

        func change(_ state: inout House.State) {
            switch self {
            case .elementsByTheRoot: state.room.cells = []
            case .listByTheRoot: state.room = Room.State(cells: [])
            case .elementInsertedAnew:
                state.room.cells.remove(id: 1)
                state.room.cells.append(Cell.State(id: 1))
            case .elementsMadeAnew: state.room.cells = [Cell.State(id: 1, owner: "bob")]
            case .equalElementsMadeAnew:
                state.room.cells = []
                state.room.cells = Room.State().cells
            case .equalElementInANewCollection: state.room.cells = IdentifiedArray(uniqueElements: state.room.cells.map { $0 })
            case .optionalOfAChild: state.room.guest = nil
            case .otherIDInAScope: state.room.host = Host.State(cell: Cell.State(id: 2))
            case .otherInstanceInAScope: state.room.host = Host.State()
            case .dictionaryEntry: state.room.shelf = [:]
            case .caseOfAnEnum: state.room.door = .shut
            case .caseWithinACase: state.room.door = .open(Cell.State(id: 3))
            }
        }
    }

    @Test(arguments: Taking.allCases)
    func `a child's effects end with the child, whoever takes it away`(_ taking: Taking) async throws {
        let (began, gate) = (Signal("the child's effect"), Gate())
        let store = TestStore(initialState: House.State()) {
            House(cell: Cell { send in
                began.fire()
                await gate.pass()
                await send(.answered("alice's"))
            })
        }
        await store.send(.room(taking.place.action(.ask)))
        try await began.wait()
        store.exhaustivity = .off
        await store.send(.change { taking.change(&$0) })
        #expect(store.cancelledEffects.map(\.name) == ["asking"])
        #expect(store.cancelledEffects.first?.reason.contains("was taken away") == true, "\(store.cancelledEffects)")
        let left = store.state
        gate.open()
        await store.finish()
        #expect(store.state == left, "nobody gets the answer that another one has asked for")
    }

    @Test(arguments: Taking.allCases)
    func `an action that a child sends at once dies with it, too`(_ taking: Taking) async {
        let store = TestStore(initialState: House.State()) { House(cell: Cell { _ in }, taking: taking, on: .hurry) }
        store.exhaustivity = .off
        await store.send(.room(taking.place.action(.hurry)))
        #expect(store.cancelledEffects.map(\.name) == Array(repeating: ".send(\(taking.place.caseText).answered)", count: 2))
        #expect(store.cancelledEffects.allSatisfy { $0.reason.contains("was taken away") }, "\(store.cancelledEffects)")
        store.exhaustivity = .on
        await store.finish()
    }

    @Test(arguments: Taking.allCases)
    func `an action that a child has sent is not handled when the one before it takes the child away`(_ taking: Taking) async {
        let store = TestStore(initialState: House.State()) { House(cell: Cell { _ in }, taking: taking, on: .answered("alice's first")) }
        store.exhaustivity = .off
        await store.send(.room(taking.place.action(.hurry)))
        #expect(store.cancelledEffects.map(\.name) == [".send(\(taking.place.caseText).answered)"])
        await store.receive(where: { $0 == .room(taking.place.action(.answered("alice's first"))) })
        store.exhaustivity = .on
        await store.finish()
    }

    @Test(arguments: Room.Place.allCases)
    func `what a child sends at once reaches it while it stands`(_ place: Room.Place) async {
        let store = TestStore(initialState: House.State()) { House(cell: Cell { _ in }) }
        store.exhaustivity = .off
        await store.send(.room(place.action(.hurry)))
        await store.receive(where: { $0 == .room(place.action(.answered("alice's first"))) })
        await store.receive(where: { $0 == .room(place.action(.answered("alice's second"))) })
        #expect(store.cancelledEffects.isEmpty)
        await store.finish()
    }

    @Test(arguments: Room.Place.allCases)
    func `a child that is changed in its place keeps its effects`(_ place: Room.Place) async {
        let gate = Gate()
        let store = TestStore(initialState: House.State()) {
            House(cell: Cell { send in
                await gate.pass()
                await send(.answered("its own"))
            })
        }
        await store.send(.room(place.action(.ask)))
        store.exhaustivity = .off
        await store.send(.change { state in
            state.room.cells[id: 1]?.owner = "the same, renamed"
            state.room.cells.sort { $0.id > $1.id }
            state.room.cells.reverse()
            state.room.cells = state.room.cells.filter { $0.id == 1 }
            state.room.cells = state.room.cells.sorted { $0.id < $1.id }
            state.room.cells = IdentifiedArray(uniqueElements: state.room.cells.reversed())
            state.room.cells.changeEach { $0.answer = "none yet" }
            state.room.cells.updateOrAppend(Cell.State(id: 1, owner: "the same, loaded again"))
            state.room.guest?.owner = "renamed"
            state.room.host.cell.owner = "renamed"
            state.room.shelf["a"]?.owner = "renamed"
            if case .open(var cell) = state.room.door {
                cell.owner = "renamed"
                state.room.door = .open(cell)
            }
        })
        #expect(store.cancelledEffects.isEmpty)
        gate.open()
        await store.receive(where: { $0 == .room(place.action(.answered("its own"))) })
        await store.finish()
    }

    @Test func `an effect that a child wants in the reduction in which its parent takes it away does not begin`() async {
        let store = TestStore(initialState: House.State()) { House(cell: Cell { _ in Issue.record("it began") }, isJealous: true) }
        store.exhaustivity = .off
        await store.send(.room(.cells(.element(id: 1, action: .ask))))
        #expect(store.cancelledEffects.map(\.name) == ["asking"])
        await store.finish()
    }

    @Test func `a feature in a feature by hand still loses the effects of elements that its own reducer takes out`() async {
        let gate = Gate()
        let store = TestStore(initialState: Wrapped.State()) { Wrapped(cell: Cell { _ in await gate.pass() }) }
        await store.send(.inner(.cells(.element(id: 1, action: .ask))))
        await store.send(.inner(.empty)) { $0.inner.cells = [] }
        #expect(store.cancelledEffects.map(\.name) == ["asking"])
        gate.open()
        await store.finish()
    }

    @Test func `a feature in a feature by hand loses the effects of elements that its own reducer makes anew`() async {
        let gate = Gate()
        let store = TestStore(initialState: Wrapped.State()) { Wrapped(cell: Cell { _ in await gate.pass() }) }
        await store.send(.inner(.cells(.element(id: 1, action: .ask))))
        await store.send(.inner(.renew))
        #expect(store.cancelledEffects.map(\.name) == ["asking"])
        gate.open()
        await store.finish()
    }

    @Test func `an element that says itself which instance it is stays it in a new collection`() async {
        let gate = Gate()
        let store = TestStore(initialState: Inn.State()) { Inn(cell: Cell { _ in await gate.pass() }) }
        await store.send(.hosts(.element(id: 1, action: .ask)))
        await store.send(.carryOver)
        #expect(store.cancelledEffects.isEmpty)
        await store.send(.renew)
        #expect(store.cancelledEffects.map(\.name) == ["asking"])
        gate.open()
        await store.finish()
    }

    @Test func `a store that ends cancels the effects of all its children`() async throws {
        let (began, ended, gate) = (Signal("the child's effect"), Signal("its end"), Gate())
        var store: Store<House.State, House.Action>? = Store(initialState: House.State()) {
            House(cell: Cell { _ in
                began.fire()
                await withTaskCancellationHandler { await gate.pass() } onCancel: { ended.fire() }
            })
        }
        store?.send(.room(.host(.ask)))
        try await began.wait()
        store = nil
        try await ended.wait()
        gate.open()
    }

    @Test func `a failed receive names what was cancelled and why`() async {
        let failures = Log<String>()
        let gate = Gate()
        let store = TestStore(initialState: House.State()) {
            House(cell: Cell { _ in await gate.pass() })
        } report: { comment, _ in
            failures.add(comment.rawValue)
        }
        store.exhaustivity = .off
        await store.send(.room(.cells(.element(id: 1, action: .ask))))
        await store.send(.change { $0.room.cells = [] })
        gate.open()
        await store.receive(where: { $0 == .room(.cells(.element(id: 1, action: .answered("")))) })
        #expect(failures.all.contains { $0.contains("cancelled meanwhile: asking (its child at") }, "\(failures.all)")
        await store.finish()
    }
}

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
