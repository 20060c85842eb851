import SoakKit
import Testing

/// The judgement of the soaks on a step's time.
@Suite struct StepGrowthTests {
    private func growth(_ multiples: [Double]) -> StepGrowth {
        var growth = StepGrowth(first: StepCost(nanoseconds: 1, multiple: 1), share: 0.25)
        for multiple in multiples {
            growth.add(StepCost(nanoseconds: multiple, multiple: multiple))
            guard growth.wantsMore else { break }
        }
        return growth
    }

    @Test func `a step that each other one makes dearer is found`() {
        let found = growth((0..<20).map { 1.3 + 0.06 * Double($0) })
        #expect(found.isFound && !found.wantsMore)
    }

    @Test func `a machine that is slower from now on is none, however slow`() {
        #expect(!growth((0..<20).map { 2 + 0.02 * Double($0 % 3) }).isFound)
    }

    @Test func `one window as cheap as the first ends it`() {
        let found = growth([1.9, 1.8, 1.1, 3, 4, 5, 6, 7, 8])
        #expect(!found.isFound && !found.wantsMore)
    }
}
