internal import Relux
internal import ReluxOrchestration
internal import SettingsModels
internal import SettingsReluxInt
internal import SettingsServiceInt

extension Settings {
    /// What the domain does when the cluster starts.
    static func startup(svc: any Settings.Business.IService, router: any Settings.Business.IRouter) -> ActionContributor {
        let signals = SignalTable()
        return ActionContributor(
            [
                "StartupOrchestration": [
                    ActionBlock(
                        "settings.migrate", priority: .critical, shouldRun: { await !svc.isPrepared }, execute: { try await svc.prepare() }),
                    OnboardingAction(svc: svc, router: router, signals: signals),
                ]
            ], signals: signals)
    }

    /// Shows the settings once, and ends when the user has seen them: `relux signal complete onboarding`.
    struct OnboardingAction: PipelineAction {
        let id: ActionID = "settings.onboarding"
        let priority: ActionPriority = .high
        let excludedModes: Set<String> = ["headless"]
        let svc: any Settings.Business.IService
        let router: any Settings.Business.IRouter
        let signals: SignalTable

        /// The migration opens the database; it runs before this, and not in a gate.
        func shouldRun() async -> Bool {
            guard await svc.isPrepared else { return true }
            return (try? await svc.isOnboarded()) == false
        }

        func execute(context: PipelineContext) async -> ActionResult {
            do {
                if try await svc.isOnboarded() { return .skipped }
                let isSeen = signals.open("onboarding")
                defer { signals.close("onboarding") }
                await actions { router.setSettingsPage(.onboarding) }
                await isSeen.wait()
                if Task.isCancelled { return .cancelled }
                try await svc.noteOnboarded()
                return .completed
            } catch {
                return .failed("\(error)")
            }
        }
    }
}
