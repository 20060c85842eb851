internal import LibraryModels
internal import LibraryReluxInt
internal import LibraryServiceInt
internal import Relux
internal import ReluxFeature

extension Library.Business.Flow {
    typealias Model = Library.Business.Model
    typealias Action = RootFeature.Action

    // MARK: Sessions

    /// Fills the form in and sends it; the answer comes from the orchestrator that hears of it.
    func signIn(_ name: String, _ password: Secret<String>) async -> Relux.ActionResult {
        await actions {
            Action.login(.binding(.set(\.name, name)))
            Action.login(.binding(.set(\.password, password)))
            Action.login(.signInTapped)
        }
        return .success
    }

    func open(_ userId: String) async throws(Model.Failure) -> Relux.ActionResult {
        await state.feature.perform(.login(.accepted(userId: userId)))
        let root = await state.root
        guard let list = root.main?.fileList, list.userId.utf8.elementsEqual(userId.utf8) else { throw root.login.failure ?? root.failure ?? .notAuthenticated }
        if let failure = list.failure { throw failure }
        return .success(userId)
    }

    func perform(_ action: Action) async -> Relux.ActionResult {
        await state.feature.perform(action)
        return .success
    }

    func forget(_ userId: String) async throws(Model.Failure) -> Relux.ActionResult {
        if await state.root.main?.id == TextID(userId) { _ = await perform(.logout) }
        try await svc.forget(userId: userId)
        return .success
    }

    // MARK: Files

    func list() async throws(Model.Failure) -> Relux.ActionResult {
        let list = try await ask(.load)
        await actions { router.setLibraryPage(.files) }
        return .success(list.files.map(\.file))
    }

    func add(_ file: Model.File, _ contents: String) async throws(Model.Failure) -> Relux.ActionResult {
        let list = try await ask(.add(file, contents: Array(contents.utf8)))
        guard let added = list.files[id: TextID(file.fileId)]?.file else { throw .notFound(file.id) }
        return .success(added)
    }

    func delete(_ id: String) async throws(Model.Failure) -> Relux.ActionResult {
        try await cell(id)
        _ = try await ask(.files(.element(id: TextID(id), action: .deleteTapped)))
        return .success
    }

    /// What plays goes on after the answer.
    func play(_ id: String) async throws(Model.Failure) -> Relux.ActionResult {
        let file = try await cell(id)
        await actions {
            Action.main(.fileList(.files(.element(id: TextID(id), action: .playTapped))))
            router.setLibraryPage(.player(id: id))
        }
        return .success(file)
    }

    func stop() async throws(Model.Failure) -> Relux.ActionResult {
        _ = try await ask(.stopTapped)
        return .success
    }

    // MARK: Asking the features

    @discardableResult
    private func cell(_ id: String) async throws(Model.Failure) -> Model.File {
        guard let file = try await openList().files[id: TextID(id)]?.file else { throw .notFound(id) }
        return file
    }

    /// Sends an action to the list, and returns the list once all work is done.
    private func ask(_ action: FileListFeature.Action) async throws(Model.Failure) -> FileListFeature.State {
        _ = try await openList()
        await state.feature.perform(.main(.fileList(action)))
        let root = await state.root
        // It closes when the reader was refused.
        guard let list = root.main?.fileList else { throw root.failure ?? .notAuthenticated }
        if let failure = list.failure { throw failure }
        return list
    }

    private func openList() async throws(Model.Failure) -> FileListFeature.State {
        if let list = await state.root.main?.fileList { return list }
        await state.feature.perform(.askedWhileClosed)
        throw .notAuthenticated
    }
}
