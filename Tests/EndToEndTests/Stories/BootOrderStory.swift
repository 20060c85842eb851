import ReluxBus
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct BootOrder {
        @Test(arguments: Placement.allCases)
        func `all modules are ready, and none is left when the cluster goes down`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let status = try await cluster.client.status()
                #expect(status.modules.map(\.id.rawValue).sorted() == Placement.modules.sorted())
                #expect(status.modules.allSatisfy { $0.state.phase == .ready })
            }
        }
    }
}
