import Foundation
import Observation
import ReluxFeature
import ReluxFeatureTestKit
import ReluxTestKit
import Testing

/// The seed's features run as it says. Their actions are not Equatable: they carry `Result<Data, Error>`.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DelegationTests {
  @Test func `a child's completion reaches the parent`() async {
    let store = TestStore(initialState: ParentFeature.State()) { ParentFeature() }
    await store.send(.child(.buttonTapped)) { $0.child.taps = 1 }
    await store.receive(\.child.delegate, .didComplete) { $0.completions = [1] }
    await store.finish()
  }

  @Test func `Given a child that emits delegate(.didComplete), when sent, then the parent handles it after the child's own change, in the same drain`() async {
    var seen: [ParentFeature.Action] = []
    let store = Store(initialState: ParentFeature.State(), didReduce: { action, _ in seen.append(action) }) { ParentFeature() }
    let changes = Recorder<Void>()
    withObservationTracking { _ = store.state } onChange: { changes.record(()) }
    store.send(.child(.buttonTapped))
    #expect(seen.count == 2)
    #expect(seen.last?[case: \.child.delegate] == .didComplete)
    #expect(store.completions == [1], "the parent saw the child's change")
    #expect(changes.elements.count == 1, "observers see the state of a drain once")
  }

  @Test func `Given a test store, when a delegate is not asserted, then the test fails; with exhaustivity off it passes`() async {
    let failures = Recorder<String>()
    func run(_ exhaustivity: TestStore<ParentFeature.State, ParentFeature.Action>.Exhaustivity) async {
      let store = TestStore(initialState: ParentFeature.State()) {
        ParentFeature()
      } report: { comment, _ in
        failures.record(comment.rawValue)
      }
      store.exhaustivity = exhaustivity
      await store.send(.child(.buttonTapped)) { $0.child.taps = 1 }
      await store.finish()
    }
    await run(.on)
    #expect(failures.elements.count == 1)
    #expect(failures.elements.first?.contains(".child(.delegate(.didComplete))") == true)
    await run(.off)
    #expect(failures.elements.count == 1)
  }

  @Test func `Given an expected-state closure that changes nothing, then the test fails`() async {
    let failures = Recorder<String>()
    let store = TestStore(initialState: ParentFeature.State()) {
      ParentFeature()
    } report: { comment, _ in
      failures.record(comment.rawValue)
    }
    await store.send(.child(.delegate(.didComplete))) { $0.completions = [0] }
    await store.send(.child(.response(.success(Data())))) { $0.child.taps = 0 }
    await store.finish()
    #expect(failures.elements.count == 1)
    #expect(failures.elements.first?.contains("changed nothing") == true)
  }

  @Test func `an auth error of a child logs the parent out, another error does not`() async {
    let store = TestStore(initialState: ParentFeature.State()) { ParentFeature() }
    await store.send(.child(.response(.failure(CancellationError()))))
    await store.send(.child(.response(.success(Data()))))
    await store.send(.child(.response(.failure(AuthError()))))
    await store.receive(\.child.delegate, .authenticationRequired)
    await store.receive(\.logout)
    await store.finish()
  }

  @Test func `a selected item is the parent's`() async {
    let store = TestStore(initialState: ParentFeature.State()) { ParentFeature() }
    let item = Item(name: "lamp")
    await store.send(.child(.delegate(.itemSelected(item)))) { $0.selectedItem = item }
    await store.finish()
  }

  @Test func `cells delete and play through their list`() async {
    let files = ["a", "b"].map { FileCellFeature.State(file: File(fileId: $0)) }
    let store = TestStore(initialState: FileListFeature.State(files: IdentifiedArray(uniqueElements: files))) { FileListFeature() }
    await store.send(.files(.element(id: "b", action: .playTapped)))
    await store.receive(\.files[id: "b"].delegate, .playFile(File(fileId: "b"))) { $0.playingFile = File(fileId: "b") }
    await store.send(.files(.element(id: "a", action: .deleteTapped)))
    await store.receive(\.files[id: "a"].delegate, .fileDeleted(File(fileId: "a"))) { $0.files.remove(id: "a") }
    await store.finish()
  }

  @Test func `a login opens the main feature`() async {
    let store = TestStore(initialState: RootFeature.State()) { RootFeature() }
    await store.send(.login(.signInWithAppleCompleted(.success(ASAuthorization()))))
    await store.send(.login(.loginResponse(.success(LoginResponse(token: "t")))))
    await store.receive(\.login.delegate, .loginCompleted) {
      $0.isAuthenticated = true
      $0.main = MainFeature.State()
    }
    await store.finish()
  }

  @Test func `Given grandchild → child → parent forwarding, then the recorded order is the three sends and only the last changes parent state`() async {
    let open = RootFeature.State(isAuthenticated: true, main: MainFeature.State())
    let store = TestStore(initialState: open) { RootFeature() }
    await store.send(.main(.fileList(.refused)))
    await store.receive(\.main.fileList.delegate, .authenticationRequired)
    await store.receive(\.main.delegate, .authenticationRequired)
    await store.receive(\.logout) {
      $0.isAuthenticated = false
      $0.main = nil
    }
    await store.finish()
  }

  @Test func `a grandchild's delegate is forwarded`() async {
    let store = TestStore(initialState: ForwardingFeature.State()) { ForwardingFeature() }
    await store.send(.grandchild(.delegate(.authRequired)))
    await store.receive(\.delegate, .authenticationRequired)
    await store.finish()
  }
}
