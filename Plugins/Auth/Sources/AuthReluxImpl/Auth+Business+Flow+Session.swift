internal import AuthModels
internal import AuthReluxInt
internal import AuthServiceInt
internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux

extension Auth.Business.Flow {
    func logout() async -> Relux.ActionResult {
        guard let session = await state.session else { return .success }
        do {
            try await svc.logout(token: session.token.reveal())
        } catch {
            return await failed(error)
        }
        await actions {
            Auth.Business.Action.sessionClosed
            Auth.Business.Effect.loggedOut
            router.setAuthPage(.login)
        }
        return .success
    }

    /// After a refusal the user must log in again, even if the service cannot end the session.
    func forceReauthentication() async -> Relux.ActionResult {
        let session = await state.session
        if let session { try? await svc.logout(token: session.token.reveal()) }
        await actions {
            Auth.Business.Action.sessionClosed
            if session != nil { Auth.Business.Effect.loggedOut }
            router.setAuthPage(.login)
        }
        return .success
    }

    func validateSession() async -> Relux.ActionResult {
        guard let session = await state.session else { return await refused(.invalidSession) }
        do {
            let account = try await svc.validate(token: session.token.reveal())
            await actions { Auth.Business.Effect.authSucceeded(userId: account.userId) }
            return .success(account.userId)
        } catch {
            if error.code == .invalidSession {
                await actions {
                    Auth.Business.Action.sessionClosed
                    Auth.Business.Effect.loggedOut
                    router.setAuthPage(.login)
                }
            }
            return await refused(error)
        }
    }

    func deleteAccount() async -> Relux.ActionResult {
        guard let session = await state.session else { return await failed(.invalidSession) }
        do {
            let account = try await svc.deleteAccount(token: session.token.reveal())
            await actions {
                Auth.Business.Action.sessionClosed
                Auth.Business.Effect.accountDeleted(userId: account.userId)
                Auth.Business.Effect.loggedOut
                router.setAuthPage(.register)
            }
            return .success(account.userId)
        } catch {
            return await failed(error)
        }
    }

    /// Errors that the user cannot help are tracked; a wrong password is none.
    func failed(_ error: Auth.Business.Model.Failure) async -> Relux.ActionResult {
        if error.code == .storage {
            let tracked = ErrorHandling.Business.Model.TrackedError(
                domain: "Auth", code: error.code.rawValue, message: error.message
            )
            await actions { ErrorHandling.Business.Effect.track(error: tracked) }
        }
        return .failure(Relux.Failure(domain: "Auth", code: "\(error.code)", message: error.message))
    }
}
