internal import LibraryModels
internal import LibraryServiceInt
internal import Relux
internal import ReluxOrchestration

extension Library {
    /// What the domain does when the cluster starts.
    static func startup(svc: any Library.Business.IService) -> ActionContributor {
        ActionContributor([
            "StartupOrchestration": [
                ActionBlock(
                    "library.migrate", priority: .critical, shouldRun: { await !svc.isPrepared }, execute: { try await svc.prepare() })
            ]
        ])
    }
}
