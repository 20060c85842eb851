import Foundation
import ReluxFeature
import ReluxFeatureTestKit
import Testing

/// The seed's features run as it says. Their actions are not Equatable: they carry `Result<Data, Error>`.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DelegationTests {
  @Test func `a child's completion reaches the parent`() async {
    let store = TestStore(initialState: ParentFeature.State()) { ParentFeature() }
    await store.send(.child(.buttonTapped))
    await store.receive(\.child.delegate, .didComplete)
    await store.finish()
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

  @Test func `a login opens the main feature, and an auth error deep inside closes it`() async {
    let store = TestStore(initialState: RootFeature.State()) { RootFeature() }
    await store.send(.login(.signInWithAppleCompleted(.success(ASAuthorization()))))
    await store.send(.login(.loginResponse(.success(LoginResponse(token: "t")))))
    await store.receive(\.login.delegate, .loginCompleted) {
      $0.isAuthenticated = true
      $0.main = MainFeature.State()
    }
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
