import ReluxFeature

// The delegation seed's features. Edits: no attributes, the conformance and the case paths by hand, and what research §0 names as broken.

struct Item: Equatable, Sendable { var name: String }

struct LoadFailure: Error, Equatable { var isAuth: Bool }

struct ChildFeature: Reducer {
    struct State: Equatable {
        var taps = 0
        var data = ""
    }

    enum Action: Equatable, CasePathable {
        // Regular actions
        case buttonTapped
        case response(Result<String, LoadFailure>)

        // Delegate actions for parent
        case delegate(Delegate)

        enum Delegate: Equatable, CasePathable {
            case didComplete
            case authenticationRequired
            case itemSelected(Item)

            struct Cases: Sendable {
                let didComplete = CasePath<Delegate, Void>(.didComplete) { $0 == .didComplete }
                let authenticationRequired = CasePath<Delegate, Void>(.authenticationRequired) { $0 == .authenticationRequired }
                let itemSelected = CasePath(Delegate.itemSelected) { if case .itemSelected(let item) = $0 { item } else { nil } }
            }
            static let cases = Cases()
        }

        struct Cases: Sendable {
            let buttonTapped = CasePath<Action, Void>(.buttonTapped) { $0 == .buttonTapped }
            let response = CasePath(Action.response) { if case .response(let result) = $0 { result } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .buttonTapped:
                state.taps += 1
                return .send(.delegate(.didComplete))

            case .response(.success(let data)):
                state.data = data
                return .none

            case let .response(.failure(error)):
                if error.isAuth {
                    return .send(.delegate(.authenticationRequired))
                }
                return .none

            case .delegate:
                // Parent handles this - return .none
                return .none
            }
        }
    }
}

struct ParentFeature: Reducer {
    struct State: Equatable {
        var child: ChildFeature.State = ChildFeature.State()
        var selectedItem: Item?
        var completions: [Int] = []
        var isLoggedOut = false
    }

    enum Action: Equatable, CasePathable {
        case child(ChildFeature.Action)
        case logout

        struct Cases: Sendable {
            let child = CasePath(Action.child) { if case .child(let action) = $0 { action } else { nil } }
            let logout = CasePath<Action, Void>(.logout) { $0 == .logout }
        }
        static let cases = Cases()
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.child, action: \.child) {
            ChildFeature()
        }

        Reduce { state, action in
            switch action {
            // Handle specific delegate actions
            case .child(.delegate(.didComplete)):
                state.completions.append(state.child.taps)
                return .none

            case .child(.delegate(.authenticationRequired)):
                // Handle auth requirement
                return .send(.logout)

            case let .child(.delegate(.itemSelected(item))):
                // Handle item selection
                state.selectedItem = item
                return .none

            // Ignore other child actions
            case .child:
                return .none

            case .logout:
                state.isLoggedOut = true
                return .none
            }
        }
    }
}

// FileCell → FileList → Main → Root, and Login → Root.

struct File: Equatable, Identifiable, Sendable {
    var fileId: String
    var id: String { fileId }
}

struct FileCellFeature: Reducer {
    struct State: Equatable, Identifiable {
        var file: File
        var isBusy = false
        var progress = 0
        var id: String { file.id }
    }

    enum Action: Equatable, CasePathable {
        case deleteTapped
        case playTapped
        case downloadTapped
        case progressed(Int)
        case delegate(Delegate)
        enum Delegate: Equatable {
            case fileDeleted(File)
            case playFile(File)
        }

        struct Cases: Sendable {
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
            let progressed = CasePath(Action.progressed) { if case .progressed(let value) = $0 { value } else { nil } }
        }
        static let cases = Cases()
    }

    /// What a download sends, and when.
    var download: @Sendable () -> AsyncStream<Int> = { AsyncStream { $0.finish() } }

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .deleteTapped: return .send(.delegate(.fileDeleted(state.file)))
            case .playTapped: return .send(.delegate(.playFile(state.file)))
            case .downloadTapped:
                state.isBusy = true
                return .run(name: "download") { [download] send in
                    for await progress in download() { await send(.progressed(progress)) }
                }
                .cancellable(id: "download", cancelInFlight: true)
            case .progressed(let progress):
                state.progress = progress
                return .none
            case .delegate: return .none
            }
        }
    }
}

struct FileListFeature: Reducer {
    struct State: Equatable {
        var files: IdentifiedArrayOf<FileCellFeature.State> = []
        var playingFile: File?
        var deletions = 0
    }

    enum Action: Equatable, CasePathable {
        case files(IdentifiedActionOf<FileCellFeature>)
        case loadFailed
        case delegate(Delegate)
        enum Delegate: Equatable {
            case authenticationRequired
        }

        struct Cases: Sendable {
            let files = CasePath(Action.files) { if case .files(let action) = $0 { action } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    var cell = FileCellFeature()

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case let .files(.element(id: _, action: .delegate(.fileDeleted(file)))):
                state.deletions += 1
                state.files.remove(id: file.fileId)
                return .none

            case let .files(.element(id: _, action: .delegate(.playFile(file)))):
                state.playingFile = file
                return .none

            // Catch-all for other child actions
            case .files:
                return .none

            case .loadFailed: return .send(.delegate(.authenticationRequired))
            case .delegate: return .none
            }
        }
        .forEach(\.files, action: \.files) { cell }
    }
}

struct MainFeature: Reducer {
    struct State: Equatable {
        var fileList = FileListFeature.State()
    }

    enum Action: Equatable, CasePathable {
        case fileList(FileListFeature.Action)
        case delegate(Delegate)
        enum Delegate: Equatable {
            case authenticationRequired
        }

        struct Cases: Sendable {
            let fileList = CasePath(Action.fileList) { if case .fileList(let action) = $0 { action } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.fileList, action: \.fileList) { FileListFeature() }
        Reduce { state, action in
            switch action {
            case .fileList(.delegate(.authenticationRequired)):
                return .send(.delegate(.authenticationRequired))
            case .fileList, .delegate: return .none
            }
        }
    }
}

struct LoginFeature: Reducer {
    struct State: Equatable {}

    struct Credential: Equatable, Sendable { var token: String }

    enum Action: Equatable, CasePathable {
        case signInCompleted(Result<Credential, LoadFailure>)
        case loginResponse(Result<String, LoadFailure>)
        case delegate(Delegate)

        enum Delegate: Equatable {
            case loginCompleted
            case registrationCompleted
        }

        struct Cases: Sendable {
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    var body: some ReducerOf<Self> {
        Reduce { _, action in
            switch action {
            case .loginResponse(.success):
                // Store token, etc.
                return .send(.delegate(.loginCompleted))
            case .signInCompleted, .loginResponse, .delegate: return .none
            }
        }
    }
}

struct RootFeature: Reducer {
    struct State: Equatable {
        var login = LoginFeature.State()
        var isAuthenticated = false
        var main: MainFeature.State?
    }

    enum Action: Equatable, CasePathable {
        case login(LoginFeature.Action)
        case main(MainFeature.Action)
        case logout

        struct Cases: Sendable {
            let login = CasePath(Action.login) { if case .login(let action) = $0 { action } else { nil } }
            let main = CasePath(Action.main) { if case .main(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }

    var body: some ReducerOf<Self> {
        Scope(state: \.login, action: \.login) { LoginFeature() }
        Reduce { state, action in
            switch action {
            case .login(.delegate(.loginCompleted)):
                state.isAuthenticated = true
                state.main = MainFeature.State()
                return .none
            case .main(.delegate(.authenticationRequired)):
                return .send(.logout)
            case .logout:
                state.isAuthenticated = false
                state.main = nil
                return .none
            case .login, .main: return .none
            }
        }
        .ifLet(\.main, action: \.main) { MainFeature() }
    }
}
