internal import ProfileModels
internal import ProfileServiceInt
internal import Relux
internal import ReluxOrchestration

extension Profile {
    /// What the domain does when the cluster starts.
    static func startup(svc: any Profile.Business.IService) -> ActionContributor {
        ActionContributor([
            "StartupOrchestration": [
                ActionBlock(
                    "profile.migrate", priority: .critical, shouldRun: { await !svc.isPrepared }, execute: { try await svc.prepare() })
            ]
        ])
    }
}
