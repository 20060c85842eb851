import Relux
import ReluxOrchestration
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct ActionModelTests {
    @Test func `the samples of the action model run`() async {
        let sequence = SequenceOrchestrator()
        sequence.register(ForceUpdateAction())
        #expect(await sequence.evaluate().results == [.completed])
        let pipeline = PipelineOrchestrator()
        pipeline.register(FetchPostsAction())
        #expect(await pipeline.evaluate().results == [.completed])
        #expect(identifiers() == ["onboarding"])
    }

    @Test func `the priorities have the numbers of the document`() {
        #expect(ActionPriority.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(ActionPriority.critical < .high && .high < ActionPriority.medium && .medium < ActionPriority.low)
    }
}
