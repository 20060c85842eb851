internal import LibraryModels
internal import LibraryServiceInt
internal import ReluxFeature

/// One file of the list.
struct FileCellFeature: Reducer {
    typealias Model = Library.Business.Model

    struct State: Equatable, Identifiable, Sendable {
        var file: Model.File
        let userId: String
        var isDeleting = false
        var id: TextID { TextID(file.fileId) }
    }

    enum Action: Equatable, CasePathable {
        case playTapped
        case deleteTapped
        case deleteResponse(Result<Model.File, Model.Failure>)
        case delegate(Delegate)

        enum Delegate: Equatable {
            case fileDeleted(Model.File)
            case playFile(Model.File)
            case failed(Model.Failure)
        }

        struct Cases: Sendable {
            let deleteResponse = CasePath(Action.deleteResponse) { if case .deleteResponse(let result) = $0 { result } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    let svc: any Library.Business.IService

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .playTapped:
                return .send(.delegate(.playFile(state.file)))

            case .deleteTapped:
                guard !state.isDeleting else { return .none }
                state.isDeleting = true
                return .run(name: "delete \(state.id)") { [svc, file = state.file, userId = state.userId] send in
                    do throws(Model.Failure) {
                        try await svc.delete(id: file.fileId, userId: userId)
                        await send(.deleteResponse(.success(file)))
                    } catch {
                        await send(.deleteResponse(.failure(error)))
                    }
                }

            case .deleteResponse(.success(let file)):
                return .send(.delegate(.fileDeleted(file)))

            case .deleteResponse(.failure(let failure)):
                state.isDeleting = false
                return .send(.delegate(.failed(failure)))

            case .delegate:
                return .none
            }
        }
    }
}
