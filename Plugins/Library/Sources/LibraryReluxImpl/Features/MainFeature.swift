internal import LibraryModels
internal import LibraryServiceInt
internal import ReluxFeature

/// What a reader sees who is logged in.
struct MainFeature: Reducer {
    typealias Model = Library.Business.Model

    struct State: Equatable, Identifiable, Sendable {
        var fileList: FileListFeature.State
        var lastPlayed: Model.File?
        /// Another reader is another child of the root: nothing of the one goes on for the other.
        var id: TextID { TextID(fileList.userId) }

        init(userId: String) { fileList = FileListFeature.State(userId: userId) }
    }

    enum Action: Equatable, CasePathable {
        case appeared
        case fileList(FileListFeature.Action)
        case delegate(Delegate)

        enum Delegate: Equatable {
            case authenticationRequired(Model.Failure)
            case fileDeleted(Model.File)
            case filePlayed(Model.File)
            case failed(Model.Failure)
        }

        struct Cases: Sendable {
            let fileList = CasePath(Action.fileList) { if case .fileList(let action) = $0 { action } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    let svc: any Library.Business.IService

    var body: some ReducerOf<Self> {
        Scope(state: \.fileList, action: \.fileList) {
            FileListFeature(svc: svc)
        }

        Reduce { state, action in
            switch action {
            case .appeared:
                return .send(.fileList(.load))

            // MainFeature forwards to RootFeature
            case .fileList(.delegate(.authenticationRequired(let failure))):
                return .send(.delegate(.authenticationRequired(failure)))

            case .fileList(.delegate(.fileDeleted(let file))):
                if state.lastPlayed.map({ TextID($0.fileId) }) == TextID(file.fileId) { state.lastPlayed = nil }
                return .send(.delegate(.fileDeleted(file)))

            case .fileList(.delegate(.filePlayed(let file))):
                state.lastPlayed = file
                return .send(.delegate(.filePlayed(file)))

            case .fileList(.delegate(.failed(let failure))):
                return .send(.delegate(.failed(failure)))

            case .fileList, .delegate:
                return .none
            }
        }
    }
}
