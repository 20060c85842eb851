import Testing

@Suite struct FaultPlanTests {
    private static let shares: [FaultPlan.Share] = [
        .init(kind: .kill, target: "Counter", count: 30), .init(kind: .freeze, target: Faults.broker, count: 20),
        .init(kind: .kill, target: Faults.supervisor, count: 5),
    ]

    @Test func `the same seed is the same plan, another one is another`() {
        let plan = FaultPlan(seed: 7, Self.shares)
        #expect(plan == FaultPlan(seed: 7, Self.shares))
        #expect(plan.steps != FaultPlan(seed: 8, Self.shares).steps)
    }

    @Test(arguments: [UInt64(1), 2, .max]) func `a plan has what it was asked for, in an order of its own`(_ seed: UInt64) {
        let plan = FaultPlan(seed: seed, Self.shares)
        #expect(plan.steps.count == 55)
        for share in Self.shares { #expect(plan.steps.count { $0.kind == share.kind && $0.target == share.target } == share.count) }
        #expect(Set(plan.steps.prefix(20).map(\.target)).count > 1)
    }

    @Test func `as many steps as were asked for wait for a handler`() {
        let none = FaultPlan(seed: 3, Self.shares, aimed: 0)
        #expect(none.steps.allSatisfy { $0.depth == nil })
        let all = FaultPlan(seed: 3, Self.shares, aimed: 100)
        #expect(all.steps.allSatisfy { $0.depth != nil })
    }

    @Test func `what opens a plan waits for a handler, and all else is as without it`() {
        let plan = FaultPlan(seed: 3, Self.shares, aimed: 0, opening: (.kill, "Counter"))
        #expect(plan.steps.first?.kind == .kill && plan.steps.first?.target == "Counter" && plan.steps.first?.depth == .zero)
        #expect(Array(plan.steps.dropFirst()) == FaultPlan(seed: 3, Self.shares, aimed: 0).steps)
    }
}
