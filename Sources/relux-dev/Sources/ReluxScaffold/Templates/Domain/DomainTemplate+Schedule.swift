extension DomainTemplate {
    static let schedule = ##"""
        /// Also what came due while the module did not run is loaded once.
        public nonisolated static var schedules: [Relux.Schedule] {
            [.every(.seconds(60), "load") { _ in __D__.Business.Effect.load }]
        }
        """##

    static let scheduleTest = ##"""
            @Test func `the items are loaded each minute`() async throws {
                for count in 1...3 {
                    try await clock.waitForSleepers(dueWithin: .seconds(60))
                    clock.advance(by: .seconds(60))
                    try await recorder.wait(for: "the items") { entries in
                        entries.count { $0.description.hasPrefix("__D__.Business.Effect.itemsChanged(") } == count
                    }
                }
                #expect(state == .init(items: [one], failure: nil))
            }
        """##
}
