internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import ReluxOrchestration

extension StartupOrchestration {
    /// The page that keeps users out while a critical action is not done. It covers the other pages, which stay as they are.
    @MainActor
    final class Maintenance {
        /// How long the start waits for the page; it comes also later.
        private static let patience = Duration.seconds(5)
        private static let (domain, name) = ("app", "maintenance")

        /// nil until it is known: an earlier life may have died with the page shown.
        // lint:allow orchestrator.state: of the last evaluation; Navigation is asked when the process does not know
        private var isShown: Bool?
        /// Navigation was asked for the page and has not answered.
        // lint:allow orchestrator.state: of the last question
        private(set) var isUnanswered = false
        private let questionLimit: Duration

        /// - Parameter questionLimit: how long it asks whether the page is there: less than a gate may take.
        init(questionLimit: Duration) { self.questionLimit = questionLimit }

        func show(_ action: ActionID, _ why: String) async {
            isShown = true
            await tell(.cover(page: .init(domain: Self.domain, name: Self.name, parameters: ["action": action.rawValue, "why": why])))
        }

        /// Due once all that is critical is done: then the page goes.
        var end: ActionBlock {
            ActionBlock("startup.endMaintenance", priority: .high, shouldRun: { await self.isToEnd() }, execute: { await self.takeAway() })
        }

        private func isToEnd() async -> Bool {
            if let isShown { return isShown }
            let answer = await Relux.Dispatcher.current.ask(Navigation.Business.Effect.covers, of: "Navigation", upTo: questionLimit)
            // Navigation that does not answer is asked again a while later; where there is none, the next time.
            isUnanswered = isShown == nil && answer.outcomes.contains { $0.recipient.module == "Navigation" && $0.status != .succeeded }
            guard let covers = answer.value([Navigation.Business.Model.Page].self, from: "Navigation") else { return false }
            let isThere = covers.contains { $0.domain == Self.domain && $0.name == Self.name }
            isShown = isShown ?? isThere
            return isThere
        }

        /// Once what is critical is done, the page goes whenever Navigation says that it is there.
        func lookAgain() async {
            guard isUnanswered else { return }
            if await isToEnd() { await takeAway() }
        }

        private func takeAway() async {
            isShown = false
            await tell(.uncover(domain: Self.domain, name: Self.name))
        }

        private func tell(_ effect: Navigation.Business.Effect) async {
            _ = await Relux.Dispatcher.current.ask(effect, upTo: Self.patience)
        }
    }
}
