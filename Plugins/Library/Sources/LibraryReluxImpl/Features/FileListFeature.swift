internal import LibraryModels
internal import LibraryServiceInt
internal import ReluxFeature

/// The reader's files, and the one that plays.
struct FileListFeature: Reducer {
    typealias Model = Library.Business.Model

    struct State: Equatable, Sendable {
        let userId: String
        var files: IdentifiedArrayOf<FileCellFeature.State> = []
        var playingFile: Model.File?
        /// Bytes of it that were played.
        var position = 0
        var failure: Model.Failure?
        var playing: TextID? { playingFile.map { TextID($0.fileId) } }
    }

    enum Action: Equatable, CasePathable {
        case load
        case loadResponse(Result<[Model.File], Model.Failure>)
        case add(Model.File, contents: [UInt8])
        case addResponse(Result<Model.File, Model.Failure>)
        case files(IdentifiedActionOf<FileCellFeature>)
        case played(upTo: Int)
        case playResponse(Result<Model.File, Model.Failure>)
        case stopTapped
        case delegate(Delegate)

        enum Delegate: Equatable {
            case authenticationRequired(Model.Failure)
            case fileDeleted(Model.File)
            case filePlayed(Model.File)
            case failed(Model.Failure)
        }

        struct Cases: Sendable {
            let loadResponse = CasePath(Action.loadResponse) { if case .loadResponse(let result) = $0 { result } else { nil } }
            let addResponse = CasePath(Action.addResponse) { if case .addResponse(let result) = $0 { result } else { nil } }
            let files = CasePath(Action.files) { if case .files(let action) = $0 { action } else { nil } }
            let played = CasePath(Action.played) { if case .played(let position) = $0 { position } else { nil } }
            let playResponse = CasePath(Action.playResponse) { if case .playResponse(let result) = $0 { result } else { nil } }
            let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
        }
        static let cases = Cases()
    }

    enum CancelID: Hashable { case playback }

    let svc: any Library.Business.IService
    /// How much of a file is read at a time.
    static let pieceBytes = 16 * 1024

    var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .load:
                return .run(name: "load") { [svc, userId = state.userId] send in
                    do throws(Model.Failure) {
                        await send(.loadResponse(.success(try await svc.list(userId: userId))))
                    } catch {
                        await send(.loadResponse(.failure(error)))
                    }
                }

            case .loadResponse(.success(let files)):
                state.failure = nil
                let userId = state.userId
                // A cell that stays is changed in its place, so that what it runs goes on.
                let listed = Set(files.map { TextID($0.fileId) })
                state.files.removeAll { !listed.contains($0.id) }
                for (place, file) in files.enumerated() {
                    let id = TextID(file.fileId)
                    if state.files.contains(id: id) {
                        state.files[id: id]?.file = file
                    } else {
                        state.files.append(FileCellFeature.State(file: file, userId: userId))
                    }
                    state.files.move(id: id, to: place)
                }
                return .none

            case .add(let file, let contents):
                return .run(name: "add \(file.id)") { [svc, userId = state.userId] send in
                    do throws(Model.Failure) {
                        await send(.addResponse(.success(try await svc.add(file, contents: contents, userId: userId))))
                    } catch {
                        await send(.addResponse(.failure(error)))
                    }
                }

            case .addResponse(.success(let file)):
                state.failure = nil
                state.files.updateOrAppend(FileCellFeature.State(file: file, userId: state.userId))
                state.files.sort { ($0.file.title.lowercased(), $0.id) < ($1.file.title.lowercased(), $1.id) }
                return .none

            case let .files(.element(id: _, action: .delegate(.fileDeleted(file)))):
                state.failure = nil
                state.files.remove(id: TextID(file.fileId))
                return .merge(stop(if: TextID(file.fileId), &state), .send(.delegate(.fileDeleted(file))))

            case let .files(.element(id: _, action: .delegate(.playFile(file)))):
                state.failure = nil
                state.playingFile = file
                state.position = 0
                return play(file, of: state.userId)

            case let .files(.element(id: _, action: .delegate(.failed(failure)))):
                return fail(failure, &state)

            // Catch-all for other child actions
            case .files:
                return .none

            case .played(let position):
                state.position = position
                return .none

            case .playResponse(.success(let file)):
                state.playingFile = nil
                return .send(.delegate(.filePlayed(file)))

            case .playResponse(.failure(let failure)):
                state.playingFile = nil
                return fail(failure, &state)

            case .stopTapped:
                state.failure = nil
                return stop(if: state.playing, &state)

            case .loadResponse(.failure(let failure)), .addResponse(.failure(let failure)):
                return fail(failure, &state)

            case .delegate:
                return .none
            }
        }
        .forEach(\.files, action: \.files) {
            FileCellFeature(svc: svc)
        }
    }

    private func play(_ file: Model.File, of userId: String) -> Effect<Action> {
        .run(name: "play \(file.id)") { [svc] send in
            do throws(Model.Failure) {
                var position = 0
                while !Task.isCancelled {
                    let piece = try await svc.read(id: file.fileId, from: position, count: Self.pieceBytes, userId: userId)
                    guard !piece.isEmpty else { break }
                    position += piece.count
                    await send(.played(upTo: position))
                }
                await send(.playResponse(.success(file)))
            } catch {
                await send(.playResponse(.failure(error)))
            }
        }
        .cancellable(id: CancelID.playback, cancelInFlight: true)
    }

    private func stop(if id: TextID?, _ state: inout State) -> Effect<Action> {
        guard let id, state.playing == id else { return .none }
        state.playingFile = nil
        return .cancel(id: CancelID.playback)
    }

    /// A refused reader has to log in again, which is its parent's business.
    private func fail(_ failure: Model.Failure, _ state: inout State) -> Effect<Action> {
        state.failure = failure
        return .send(.delegate(failure.isAuthError ? .authenticationRequired(failure) : .failed(failure)))
    }
}
