internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux
internal import SettingsModels
internal import SettingsReluxInt
internal import SettingsServiceInt

extension Settings.Business {
    protocol IFlow: Relux.Flow {}

    /// Loads and stores settings, and tells others.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState
        private let router: any IRouter

        init(svc: any IService, state: any IState, router: any IRouter) {
            self.svc = svc
            self.state = state
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Settings.Business.Effect {
            case .loadSettings(let userId): await load(userId)
            case .set(let key, let value): await set(key, to: value)
            case .forgetSettings(let userId): await forget(userId)
            case .showSettings: await actions { router.setSettingsPage(.list) }
            case .resetToDefaults, .settingsLoaded, .settingChanged, .settingsFailed, nil: .success
            }
        }

        private func load(_ userId: String) async -> Relux.ActionResult {
            do {
                let values = try await svc.values(userId: userId)
                await actions {
                    Settings.Business.Action.activated(userId: userId, values: values)
                    Settings.Business.Effect.settingsLoaded(userId: userId, values: values)
                }
                return .success(values)
            } catch {
                return await failed(error)
            }
        }

        private func set(_ key: Model.Key, to value: String) async -> Relux.ActionResult {
            guard let userId = await state.current.userId else { return await failed(.notAuthenticated) }
            do {
                let values = try await svc.set(key, to: value, userId: userId)
                // Another user may be active by now.
                let isActive = await state.current.userId?.utf8.elementsEqual(userId.utf8) == true
                await actions {
                    if isActive { Settings.Business.Action.activated(userId: userId, values: values) }
                    Settings.Business.Effect.settingChanged(userId: userId, key: key, value: value)
                }
                return .success(values)
            } catch {
                return await failed(error)
            }
        }

        private func forget(_ userId: String) async -> Relux.ActionResult {
            do {
                let values = try await svc.resetToDefaults(userId: userId)
                if await state.current.userId?.utf8.elementsEqual(userId.utf8) == true {
                    await actions { Settings.Business.Action.activated(userId: userId, values: values) }
                }
                return .success(values)
            } catch {
                return await failed(error)
            }
        }

        /// Errors that the user cannot help are tracked.
        private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
            await actions {
                Settings.Business.Action.failed(error: error)
                Settings.Business.Effect.settingsFailed(error: error)
                if error.code == .storage {
                    ErrorHandling.Business.Effect.track(
                        error: .init(domain: "Settings", code: error.code.rawValue, message: error.message)
                    )
                }
            }
            return .failure(Relux.Failure(domain: "Settings", code: "\(error.code)", message: error.message))
        }
    }
}
