internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration {
    /// The page that nobody gets past while something critical is not done.
    ///
    /// A runner that dies does not know in its next life that the page is there.
    @MainActor
    final class Maintenance {
        /// How long the start waits for the page; it comes also later.
        private static let patience = Duration.seconds(5)

        // lint:allow orchestrator.state: of the last evaluation, and gone with the process
        private var isShown = false

        func show(_ action: ActionID, _ why: String) async {
            isShown = true
            await set([.init(domain: "app", name: "maintenance", parameters: ["action": action.rawValue, "why": why])])
        }

        /// Due once all that is critical is done: then the page goes.
        var end: ActionBlock {
            ActionBlock("startup.endMaintenance", priority: .high, shouldRun: { await self.isShown }, execute: { await self.takeAway() })
        }

        private func takeAway() async {
            isShown = false
            await set([])
        }

        private func set(_ pages: [Navigation.Business.Model.Page]) async {
            _ = await Relux.Dispatcher.current.ask(Navigation.Business.Effect.set(pages: pages), upTo: Self.patience)
        }
    }
}
