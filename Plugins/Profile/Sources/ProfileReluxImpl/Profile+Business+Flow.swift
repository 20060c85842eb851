internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import ProfileModels
internal import ProfileReluxInt
internal import ProfileServiceInt
internal import Relux

extension Profile.Business {
    protocol IFlow: Relux.Flow {}

    /// Loads and stores profiles, and tells others.
    actor Flow: IFlow {
        private let svc: any IService
        private let router: any IRouter
        private let revisions: Revisions
        private var hasSkipped = false

        init(svc: any IService, revisions: Revisions, router: any IRouter) {
            self.svc = svc
            self.revisions = revisions
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? Profile.Business.Effect {
            case .fetchProfile(let userId): await fetch(userId)
            case .updateProfile(let userId, let displayName, let about):
                await saved { () async throws(Model.Failure) in
                    try await svc.update(Model.UserProfile(userId: userId, displayName: displayName, about: about))
                }
            case .resetProfile(let userId):
                await saved { () async throws(Model.Failure) in try await svc.clear(userId: userId) }
            case .deleteProfile(let userId): await delete(userId)
            case .clearProfile, .profileFetched, .profileFetchFailed, .profileUpdated, .profileUpdateFailed, .profileDeleted, nil:
                .success
            }
        }

        private func fetch(_ userId: String) async -> Relux.ActionResult {
            do {
                let profile = try await svc.fetch(userId: userId)
                await actions {
                    Profile.Business.Action.shown(profile: profile)
                    Profile.Business.Effect.profileFetched(profile: profile)
                }
                return .success(profile)
            } catch {
                await actions {
                    Profile.Business.Action.failed(error: error)
                    Profile.Business.Effect.profileFetchFailed(error: error)
                }
                return await failed(error)
            }
        }

        private func saved(
            _ save: () async throws(Model.Failure) -> Model.UserProfile
        ) async -> Relux.ActionResult {
            do {
                try await skipGiven()
                let profile = try await save()
                await actions {
                    Profile.Business.Action.shown(profile: profile)
                    Profile.Business.Effect.profileUpdated(profile: profile)
                    router.setProfilePage(.details(userId: profile.userId))
                }
                return .success(profile)
            } catch {
                await actions {
                    Profile.Business.Action.failed(error: error)
                    Profile.Business.Effect.profileUpdateFailed(error: error)
                }
                return await failed(error)
            }
        }

        /// Needed before this life's first revision: the database may be an older copy.
        private func skipGiven() async throws(Model.Failure) {
            guard !hasSkipped else { return }
            try await svc.skip(to: await revisions.given)
            hasSkipped = true
        }

        private func delete(_ userId: String) async -> Relux.ActionResult {
            do {
                try await svc.delete(userId: userId)
            } catch {
                await actions { Profile.Business.Action.failed(error: error) }
                return await failed(error)
            }
            await actions {
                Profile.Business.Action.hidden
                Profile.Business.Effect.profileDeleted(userId: userId)
                router.pushMain()
            }
            return .success
        }

        /// Errors that the user cannot help are tracked.
        private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
            if error.code == .storage {
                let tracked = ErrorHandling.Business.Model.TrackedError(
                    domain: "Profile", code: error.code.rawValue, message: error.message
                )
                await actions { ErrorHandling.Business.Effect.track(error: tracked) }
            }
            return .failure(Relux.Failure(domain: "Profile", code: "\(error.code)", message: error.message))
        }
    }
}
