internal import AuthModels
internal import AuthServiceInt
internal import Relux
internal import ReluxOrchestration

extension Auth {
    /// What the domain does when the cluster starts.
    static func startup(svc: any Auth.Business.IService) -> ActionContributor {
        ActionContributor([
            "StartupOrchestration": [
                ActionBlock(
                    "auth.migrate", priority: .critical, shouldRun: { await !svc.isPrepared }, execute: { try await svc.prepare() })
            ]
        ])
    }
}
