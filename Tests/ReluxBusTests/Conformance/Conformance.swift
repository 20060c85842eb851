import Testing

/// The promises of the bus, over each medium: the same body in one process and between processes.
@Suite(.serialized) enum Conformance {
    /// Runs the body in a world of that medium and ends all of its processes afterwards.
    static func over(_ medium: Medium, _ body: (World) async throws -> Void) async throws {
        let world = try World(medium)
        defer { world.stop() }
        try await body(world)
    }
}
