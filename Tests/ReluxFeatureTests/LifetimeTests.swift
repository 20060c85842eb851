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
