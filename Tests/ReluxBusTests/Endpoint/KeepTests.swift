import Relux
@testable import ReluxBus
import Testing

/// A value that a handler keeps is in its module's journal, or the handler hears that it is not.
@Suite(.timeLimit(.minutes(1))) struct KeepTests {
    @Test func `what an earlier life keeps, or a module that has left, is not said to be kept`() async throws {
        let endpoint = try JournaledEndpoint(life: 2).endpoint
        defer { endpoint.stop() }
        func value(life: UInt64) -> Relux.KeptValue {
            Relux.KeptValue(cause: EffectID(module: "There", position: 7), name: "id", bytes: [1], life: life)
        }
        #expect(await endpoint.keep(value(life: 2), of: "A"))
        #expect(await !endpoint.keep(value(life: 1), of: "A"))
        #expect(await !endpoint.keep(value(life: 2), of: "B"))
    }
}
