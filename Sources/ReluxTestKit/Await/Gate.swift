/// Holds handlers until the test lets them through.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var inside = 0
        var mostInside = 0
    }
    private let state = Watched(State())

    public init() {}

    /// For the handler: waits until the gate is open. A cancelled handler goes on at once.
    public func pass() async {
        state.update { state in
            state.arrived += 1
            state.inside += 1
            state.mostInside = max(state.mostInside, state.inside)
        }
        try? await state.wait(for: "the gate to open") { $0.isOpen }
        state.update { $0.inside -= 1 }
    }

    public func open() { state.update { $0.isOpen = true } }

    /// How many have come to the gate so far, and how many were held by it at the same time at most.
    public var arrived: Int { state.value.arrived }
    public var mostInside: Int { state.value.mostInside }

    public func waitForArrivals(_ count: Int) async throws(WatchdogError) {
        try await state.wait(for: "\(count) arrivals at the gate") { $0.arrived >= count }
    }
}
