import ReluxFeature

// FileListFeature → MainFeature → RootFeature; what the seed leaves out is filled in.

struct File: Equatable {
  var fileId: String
}

struct FileCellFeature: Reducer {
  struct State: Equatable, Identifiable {
    var file: File
    var id: String { file.fileId }
  }

  enum Action: CasePathable {
    case deleteTapped
    case playTapped
    case delegate(Delegate)
    enum Delegate: Equatable {
      case fileDeleted(File)
      case playFile(File)
    }

    struct Cases: Sendable {
      let delegate = CasePath(Action.delegate) { if case .delegate(let delegate) = $0 { delegate } else { nil } }
    }
    static let cases = Cases()
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .deleteTapped: return .send(.delegate(.fileDeleted(state.file)))
      case .playTapped: return .send(.delegate(.playFile(state.file)))
      case .delegate: return .none
      }
    }
  }
}

struct FileListFeature: Reducer {
  struct State: Equatable {
    var files: IdentifiedArrayOf<FileCellFeature.State> = []
    var playingFile: File?
  }

  enum Action: CasePathable {
    case files(IdentifiedActionOf<FileCellFeature>)
    case refused
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

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case let .files(.element(id: _, action: .delegate(.fileDeleted(file)))):
        state.files.remove(id: file.fileId)
        return .none

      case let .files(.element(id: _, action: .delegate(.playFile(file)))):
        state.playingFile = file
        return .none

      // Catch-all for other child actions
      case .files:
        return .none

      case .refused:
        return .send(.delegate(.authenticationRequired))

      case .delegate:
        return .none
      }
    }
    .forEach(\.files, action: \.files) {
      FileCellFeature()
    }
  }
}

struct MainFeature: Reducer {
  struct State: Equatable {
    var fileList = FileListFeature.State()
  }

  enum Action: CasePathable {
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
    Scope(state: \.fileList, action: \.fileList) {
      FileListFeature()
    }

    Reduce { state, action in
      switch action {
      // MainFeature forwards to RootFeature
      case .fileList(.delegate(.authenticationRequired)):
        return .send(.delegate(.authenticationRequired))

      case .fileList, .delegate:
        return .none
      }
    }
  }
}
