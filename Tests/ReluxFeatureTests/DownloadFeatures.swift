import ReluxFeature

// A list of files whose cells run downloads, for what cancels effects, reaches elements and fails tests. The seed's own list has none.

struct File: Equatable, Identifiable, Sendable {
    var fileId: String
    var id: String { fileId }
}

struct DownloadCell: Reducer {
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

    /// The numbers that a download sends, and when.
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

struct DownloadList: Reducer {
    struct State: Equatable {
        var files: IdentifiedArrayOf<DownloadCell.State> = []
        var playingFile: File?
        var deletions = 0
    }

    enum Action: Equatable, CasePathable {
        case files(IdentifiedActionOf<DownloadCell>)

        struct Cases: Sendable {
            let files = CasePath(Action.files) { if case .files(let action) = $0 { action } else { nil } }
        }
        static let cases = Cases()
    }

    var cell = DownloadCell()

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

            case .files:
                return .none
            }
        }
        .forEach(\.files, action: \.files) { cell }
    }
}
