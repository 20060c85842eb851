/// The files of a feature, with `__F__` for its name, `__f__` for that in lower case, and `__D__` for the domain's.
enum FeatureTemplate {
    static let files: [(path: String, text: String)] = [
        (
            "Sources/__D__ReluxImpl/Features/__F__Feature.swift",
            ##"""
            internal import ReluxFeature

            /// What __F__ shows and decides. Whatever others have to know it delegates to its parent.
            struct __F__Feature: Reducer {
                struct State: Equatable, Sendable, FeatureInstance {
                    /// A state that the parent makes anew is another instance, and the effects of the last one end.
                    let instance = InstanceID()
                    var text = ""
                    /// From the tap to the answer.
                    var isBusy = false
                    var failure: Failure?
                }

                /// Why it was refused. The message may be shown to the user.
                struct Failure: Error, Equatable {
                    let message: String
                }

                enum Action: Equatable, CasePathable {
                    case binding(BindingAction<State>)
                    case saveTapped
                    case saveResponse(Result<String, Failure>)
                    case delegate(Delegate)

                    enum Delegate: Equatable {
                        case saved(String)
                        case failed(Failure)
                    }

                    struct Cases: Sendable {
                        let binding = CasePath(Action.binding) { if case .binding(let change) = $0 { change } else { nil } }
                        let saveResponse = CasePath(Action.saveResponse) { if case .saveResponse(let result) = $0 { result } else { nil } }
                        let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
                    }
                    static let cases = Cases()
                }

                private enum CancelID: Hashable { case save }

                /// Does what the user asked for; answers with what was kept.
                let save: @Sendable (String) async throws(Failure) -> String

                var body: some ReducerOf<Self> {
                    BindingReducer(action: \.binding)
                    Reduce { state, action in
                        switch action {
                        case .binding:
                            state.failure = nil
                            return .none

                        case .saveTapped:
                            guard !state.isBusy else { return .none }
                            state.isBusy = true
                            state.failure = nil
                            return .run(name: "save __f__") { [save, text = state.text] send in
                                do throws(Failure) {
                                    await send(.saveResponse(.success(try await save(text))))
                                } catch {
                                    await send(.saveResponse(.failure(error)))
                                }
                            }
                            .cancellable(id: CancelID.save, cancelInFlight: true)

                        case .saveResponse(.success(let kept)):
                            state = State()
                            return .send(.delegate(.saved(kept)))

                        case .saveResponse(.failure(let failure)):
                            state.isBusy = false
                            state.failure = failure
                            return .send(.delegate(.failed(failure)))

                        case .delegate:
                            return .none
                        }
                    }
                }
            }
            """##
        ),
        (
            "Tests/__D__Tests/__F__FeatureTests.swift",
            ##"""
            @testable import __D__ReluxImpl
            import ReluxFeature
            import ReluxFeatureTestKit
            import Testing

            /// __F__ by itself: every action and every change is asserted.
            @MainActor
            @Suite(.timeLimit(.minutes(1))) struct __F__FeatureTests {
                typealias Failure = __F__Feature.Failure

                private func store(
                    _ save: @escaping @Sendable (String) async throws(Failure) -> String
                ) -> TestStore<__F__Feature.State, __F__Feature.Action> {
                    TestStore(initialState: __F__Feature.State()) { __F__Feature(save: save) }
                }

                @Test func `what was entered is kept, and the parent hears of it`() async {
                    let store = store { text async throws(Failure) in text.uppercased() }
                    await store.send(.binding(.set(\.text, "milk"))) { $0.text = "milk" }
                    await store.send(.saveTapped) { $0.isBusy = true }
                    await store.receive(\.saveResponse, .success("MILK")) { $0 = __F__Feature.State() }
                    await store.receive(\.delegate, .saved("MILK"))
                    await store.finish()
                }

                @Test func `a refusal stays to be seen until something else is entered, and the parent hears of it`() async {
                    let full = Failure(message: "full")
                    let store = store { _ async throws(Failure) in throw full }
                    await store.send(.saveTapped) { $0.isBusy = true }
                    await store.receive(\.saveResponse, .failure(full)) {
                        $0.isBusy = false
                        $0.failure = full
                    }
                    await store.receive(\.delegate, .failed(full))
                    await store.send(.binding(.set(\.text, "less"))) {
                        $0.text = "less"
                        $0.failure = nil
                    }
                    await store.finish()
                }

                @Test func `a second tap while it is busy does nothing`() async {
                    var state = __F__Feature.State()
                    state.isBusy = true
                    let store = TestStore(initialState: state) {
                        __F__Feature { text async throws(Failure) in text }
                    }
                    await store.send(.saveTapped)
                    await store.finish()
                }
            }
            """##
        ),
    ]
}
