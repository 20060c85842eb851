internal import AuthModels
internal import AuthReluxInt
internal import AuthServiceInt
internal import Relux

extension Auth.Business {
    protocol IFlow: Relux.Flow {}

    /// Opens and ends sessions, and tells others. Passwords and tokens are revealed here, for the service, and nowhere else.
    actor Flow: IFlow {
        let svc: any IService
        let state: State
        let router: any IRouter

        init(svc: any IService, state: State, router: any IRouter) {
            self.svc = svc
            self.state = state
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Auth.Business.Effect {
            case .register(let name, let password): await register(name, password)
            case .login(let name, let password): await login(name, password)
            case .logout, .runLogoutFlow: await logout()
            case .forceReauthentication: await forceReauthentication()
            case .validateSession: await validateSession()
            case .deleteAccount: await deleteAccount()
            case .authSucceeded, .authFailed, .loggedOut, .accountDeleted, nil: .success
            }
        }

        private func register(_ name: String, _ password: Secret<String>) async -> Relux.ActionResult {
            do {
                return await opened(try await svc.register(name: name, password: password.reveal()))
            } catch {
                return await refused(error)
            }
        }

        private func login(_ name: String, _ password: Secret<String>) async -> Relux.ActionResult {
            do {
                return await opened(try await svc.login(name: name, password: password.reveal()))
            } catch {
                return await refused(error)
            }
        }

        private func opened(_ session: Model.Session) async -> Relux.ActionResult {
            // A second login replaces the first session, which must not stay valid unseen. If it cannot be ended, it expires.
            if let before = await state.session { try? await svc.logout(token: before.token.reveal()) }
            await actions {
                Auth.Business.Action.sessionOpened(userId: session.userId, name: session.name, token: Secret(session.token))
                Auth.Business.Effect.authSucceeded(userId: session.userId)
                router.pushMain()
            }
            return .success(session.userId)
        }

        func refused(_ error: Model.Failure) async -> Relux.ActionResult {
            await actions {
                Auth.Business.Action.failed(error: error)
                Auth.Business.Effect.authFailed(error: error)
            }
            return await failed(error)
        }
    }
}
