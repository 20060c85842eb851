/// A container of factories, keyed by type: what a module needs is registered once and resolved where it is used.
///
/// One container per module. Nothing here traps: what cannot be resolved is a typed error from ``resolve(_:isolation:)`` and
/// ``resolveAsync(_:)``, and `nil` plus one line in the log from ``get(by:isolation:)`` and ``getAsync(by:)``. Factories run on the
/// caller's thread or task and may resolve further types, but must do so inside the factory or in its structured child
/// tasks: the container follows a resolution through task-locals and refuses one that would wait for itself.
public final class IoC: Sendable {
    private let logger: any ILogger
    private let registry = Registry()

    public init(logger: any ILogger = Logger(enabled: false)) {
        self.logger = logger
    }

    /// The registrations that were refused so far, in order. A wiring test expects this to be empty.
    public var refusals: [IoCError] { registry.refusals }

    /// Registers a factory that runs at once, on whatever thread asks.
    ///
    /// - Returns: Failure with `alreadyRegistered` if the type has a factory and `withReplacement` is false; the first
    ///   registration then keeps working.
    @discardableResult
    public func register<T: Sendable>(
        _ type: T.Type,
        lifecycle: Lifecycle = .transient,
        withReplacement: Bool = false,
        resolver factory: @escaping @Sendable () throws -> T
    ) -> Result<Void, IoCError> {
        add(Registration(T.self, lifecycle, .immediate(factory)), replacing: withReplacement)
    }

    /// Registers a factory that needs the main actor, as the initialiser of a `HybridState` does.
    ///
    /// Code on the main actor resolves it with ``get(by:isolation:)``, everybody else with ``getAsync(by:)``. Factories that resolve
    /// it with ``get(by:isolation:)`` are registered this way too.
    @discardableResult
    public func register<T: Sendable>(
        _ type: T.Type,
        lifecycle: Lifecycle = .transient,
        withReplacement: Bool = false,
        onMainActor factory: @escaping @MainActor @Sendable () throws -> T
    ) -> Result<Void, IoCError> {
        add(Registration(T.self, lifecycle, .mainActor(factory)), replacing: withReplacement)
    }

    /// Registers a factory that awaits. Only ``getAsync(by:)`` and ``resolveAsync(_:)`` run it; a type may have another one besides, which runs at once
    /// for ``get(by:isolation:)``.
    @discardableResult
    @_disfavoredOverload
    public func register<T: Sendable>(
        _ type: T.Type,
        lifecycle: Lifecycle = .transient,
        withReplacement: Bool = false,
        resolver factory: @escaping @Sendable () async throws -> T
    ) -> Result<Void, IoCError> {
        add(Registration(T.self, lifecycle, .awaiting(factory)), replacing: withReplacement)
    }

    /// The value, or `nil` and a line in the log where ``resolve(_:isolation:)`` would throw. `isolation` is the caller's.
    public func get<T: Sendable>(by type: T.Type, isolation: isolated (any Actor)? = #isolation) -> T? {
        do {
            return try resolve(type, isolation: isolation)
        } catch {
            logger.send(error.description)
            return nil
        }
    }

    /// The value, or `nil` and a line in the log where ``resolveAsync(_:)`` would throw.
    public func getAsync<T: Sendable>(by type: T.Type) async -> T? {
        do {
            return try await resolveAsync(type)
        } catch {
            logger.send(error.description)
            return nil
        }
    }

    /// The value of a type, from its factory or, for `.container`, built before.
    ///
    /// - Parameter type: may be left out where the place that takes the value says it, such as a parameter of an initializer.
    /// - Throws: `notRegistered`, `asynchronousOnly` and `mainActorOnly` (unless it is a container value that is built
    ///   already, only ``resolveAsync(_:)`` can make it from here), `cycle`, `factoryFailed`.
    public func resolve<T: Sendable>(
        _ type: T.Type = T.self, isolation: isolated (any Actor)? = #isolation
    ) throws(IoCError) -> T {
        try registry.registration(of: type, mayAwait: false).resolve(onMainActor: isolation === MainActor.shared)
    }

    /// As ``resolve(_:isolation:)``, for every kind of factory. Concurrent callers of one `.container` value share one build.
    ///
    /// - Throws: `notRegistered`, `cycle`, `factoryFailed`.
    public func resolveAsync<T: Sendable>(_ type: T.Type) async throws(IoCError) -> T {
        try await registry.registration(of: type, mayAwait: true).resolveAsync()
    }

    /// Waits until the type is registered and resolves it.
    ///
    /// - Throws: `factoryFailed`, `cycle`; `CancellationError` when the task is cancelled while it waits.
    public func waitForResolve<T: Sendable>(_ type: T.Type) async throws -> T {
        try await registry.waitForRegistration(of: type)
        return try await resolveAsync(type)
    }

    private func add<T: Sendable>(_ registration: Registration<T>, replacing: Bool) -> Result<Void, IoCError> {
        let result = registry.add(registration, replacing: replacing)
        if case .failure(let error) = result { logger.send(error.description) }
        return result
    }
}

extension IoC {
    /// How long a resolved value lives.
    public enum Lifecycle: Sendable {
        /// Built once, at the first resolution, and kept as long as the container.
        case container
        /// Built anew for every resolution.
        case transient
    }
}
