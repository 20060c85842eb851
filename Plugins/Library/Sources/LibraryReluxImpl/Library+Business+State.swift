internal import LibraryModels
internal import LibraryReluxInt
internal import LibraryServiceInt
internal import Relux
internal import ReluxFeature

extension Library.Business {
    /// The library's features as the module's state: its actions are the root's, and what the root delegates becomes effects.
    @MainActor
    final class State: IState {
        let feature: FeatureState<RootFeature.State, RootFeature.Action>

        init(svc: any IService) {
            feature = FeatureState(RootFeature(svc: svc), initialState: RootFeature.State(), delegate: \.delegate) { delegate in
                Self.effect(of: delegate)
            }
        }

        var root: RootFeature.State { feature.store.state }

        var current: Library.Business.Snapshot { Self.snapshot(of: root) }
        var snapshots: AsyncStream<Library.Business.Snapshot> { feature.store.pictures { Self.snapshot(of: $0) } }

        nonisolated var reduces: [any Relux.Action.Type]? { [RootFeature.Action.self] }
        func reduce(with action: any Relux.Action) async { await feature.reduce(with: action) }
        func cleanup() async { await feature.cleanup() }

        private static func snapshot(of root: RootFeature.State) -> Library.Business.Snapshot {
            guard let list = root.main?.fileList else { return Library.Business.Snapshot(failure: root.failure ?? root.login.failure) }
            return Library.Business.Snapshot(
                userId: list.userId, files: list.files.map(\.file), playing: list.playingFile?.fileId, position: list.position,
                failure: list.failure)
        }

        private static func effect(of delegate: RootFeature.Action.Delegate) -> Library.Business.Effect {
            switch delegate {
            case .loginRequested(let name, let password): .loginRequested(name: name, password: password)
            case .opened(let userId): .opened(userId: userId)
            case .authenticationRequired(let userId): .authenticationRequired(userId: userId)
            case .fileDeleted(let file): .deleted(file: file)
            case .filePlayed(let file): .played(file: file)
            case .failed(let failure): .libraryFailed(error: failure)
            }
        }
    }
}
