internal import Synchronization

extension IoC {
    /// Which implementation of its services a module is made with: the real one, or one that stays in the process.
    ///
    /// The composition root says it, in a cluster by the key `services:` of the plugin's entry; the module has both and decides nothing.
    public enum Services: String, Sendable, CaseIterable {
        case real, mock
    }

    /// Runs a composition, in which ``register(_:lifecycle:real:mock:)`` keeps the chosen implementations. `real` where nobody chooses.
    public static func with<R: Sendable>(
        services: Services, isolation: isolated (any Actor)? = #isolation, _ compose: () async throws -> R
    ) async rethrows -> R {
        try await ServiceChoice.$current.withValue(ServiceChoice(services), operation: compose, isolation: isolation)
    }

    /// Registers a service with both of its implementations. The one that this composition was asked for is kept, the other one
    /// is never made.
    ///
    /// - Returns: As ``register(_:lifecycle:withReplacement:resolver:)``.
    @discardableResult
    public func register<T: Sendable>(
        _ type: T.Type, lifecycle: Lifecycle = .container,
        real: @escaping @Sendable () throws -> T, mock: @escaping @Sendable () throws -> T
    ) -> Result<Void, IoCError> {
        let choice = ServiceChoice.current
        choice?.wasAsked.store(true, ordering: .relaxed)
        return register(type, lifecycle: lifecycle, resolver: choice?.services == .mock ? mock : real)
    }
}

/// The services that a composition was asked for, and whether anything in it cared.
package final class ServiceChoice: Sendable {
    @TaskLocal package static var current: ServiceChoice?

    package let services: IoC.Services
    let wasAsked = Atomic(false)

    package init(_ services: IoC.Services) { self.services = services }

    /// False when the composition registered no service that can be chosen.
    package var isHeeded: Bool { wasAsked.load(ordering: .relaxed) }
}
