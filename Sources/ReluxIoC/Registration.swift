internal import Synchronization

/// How one type is made, and the value if it lives as long as the container.
final class Registration<T: Sendable>: Sendable {
    enum Factory: Sendable {
        case immediate(@Sendable () throws -> T)
        case mainActor(@MainActor @Sendable () throws -> T)
        case awaiting(@Sendable () async throws -> T)
    }

    private typealias Waiter = CheckedContinuation<Result<T, IoCError>, Never>

    private enum State {
        case unbuilt(Factory)
        case building(Factory, waiters: [Waiter])
        /// The factory is let go of: factories resolve from the container that keeps them, and would keep it for ever.
        case built(T)
    }

    private enum Source {
        case value(T)
        case factory(Factory)
    }

    private let lifecycle: IoC.Lifecycle
    /// Only a caller that awaits can resolve it.
    let awaits: Bool
    private let node: ResolutionNode
    private let state: Mutex<State>
    /// Held while an immediate container value is built, so that it is built once. The builder's own thread never asks
    /// for it again: the resolution path refuses that as a cycle.
    private let immediateBuild = Mutex<Void>(())

    init(_ type: T.Type, _ lifecycle: IoC.Lifecycle, _ factory: Factory) {
        self.lifecycle = lifecycle
        awaits = if case .awaiting = factory { true } else { false }
        self.node = ResolutionNode(name: "\(type)")
        self.state = Mutex(.unbuilt(factory))
    }

    func resolve(onMainActor: Bool) throws(IoCError) -> T {
        switch source {
        case .value(let value): return value
        case .factory(.immediate(let make)): return try resolveImmediately(make)
        case .factory(.mainActor(let make)):
            guard onMainActor else {
                throw IoCError(
                    code: .mainActorOnly,
                    message: "\(node.name) is made on the main actor; resolve it from there, or use getAsync or resolveAsync"
                )
            }
            return try resolveImmediately { try MainActor.assumeIsolated { try make() } }
        case .factory(.awaiting):
            throw asynchronousOnly
        }
    }

    func resolveAsync() async throws(IoCError) -> T {
        switch source {
        case .value(let value): return value
        case .factory(.immediate(let make)): return try resolveImmediately(make)
        case .factory(.mainActor(let make)): return try await resolveOnMainActor(make)
        case .factory(.awaiting(let make)): return try await resolveAwaiting(make)
        }
    }

    private var source: Source {
        state.withLock { state in
            switch state {
            case .built(let value): .value(value)
            case .unbuilt(let factory), .building(let factory, _): .factory(factory)
            }
        }
    }

    private var asynchronousOnly: IoCError {
        IoCError(code: .asynchronousOnly, message: "\(node.name) has a factory that awaits; use getAsync or resolveAsync")
    }
}

extension Registration {
    @MainActor
    private func resolveOnMainActor(_ make: @MainActor () throws -> T) throws(IoCError) -> T {
        try resolveImmediately { try make() }
    }

    private func resolveImmediately(_ make: () throws -> T) throws(IoCError) -> T {
        let waiting = try ResolutionPath.enter(node)
        defer { waiting?.leave(node) }
        guard lifecycle == .container else { return try run(make) }
        return try immediateBuild.withLock { _ throws(IoCError) in
            if case .value(let value) = source { return value }
            let value = try run(make)
            state.withLock { $0 = .built(value) }
            return value
        }
    }

    private func resolveAwaiting(_ make: @Sendable () async throws -> T) async throws(IoCError) -> T {
        let waiting = try ResolutionPath.enter(node)
        defer { waiting?.leave(node) }
        guard lifecycle == .container else { return try await run(make) }
        guard beginBuilding() else { return try await builtByAnother() }
        let result: Result<T, IoCError>
        do { result = .success(try await run(make)) } catch { result = .failure(error) }
        for waiter in finishBuilding(result) { waiter.resume(returning: result) }
        return try result.get()
    }

    private func beginBuilding() -> Bool {
        state.withLock { state in
            guard case .unbuilt(let factory) = state else { return false }
            state = .building(factory, waiters: [])
            return true
        }
    }

    private func finishBuilding(_ result: Result<T, IoCError>) -> [Waiter] {
        state.withLock { state in
            guard case .building(let factory, let waiters) = state else { return [] }
            switch result {
            case .success(let value): state = .built(value)
            case .failure: state = .unbuilt(factory)
            }
            return waiters
        }
    }

    private func builtByAnother() async throws(IoCError) -> T {
        try await withCheckedContinuation { continuation in
            let known: Result<T, IoCError>? = state.withLock { state in
                switch state {
                case .built(let value): return .success(value)
                case .building(let factory, let waiters):
                    state = .building(factory, waiters: waiters + [continuation])
                    return nil
                case .unbuilt:
                    return .failure(IoCError(
                        code: .factoryFailed, message: "\(node.name): the factory that was waited for failed; resolve again"
                    ))
                }
            }
            if let known { continuation.resume(returning: known) }
        }.get()
    }

    private func run(_ make: () throws -> T) throws(IoCError) -> T {
        do {
            return try ResolutionPath.running(node, shared: lifecycle == .container) { try make() }
        } catch {
            throw failure(error)
        }
    }

    private func run(_ make: @Sendable () async throws -> T) async throws(IoCError) -> T {
        do {
            return try await ResolutionPath.running(node, shared: lifecycle == .container) { try await make() }
        } catch {
            throw failure(error)
        }
    }

    /// A failure of a dependency keeps its code; anything else that a factory throws is the factory's.
    private func failure(_ error: any Error) -> IoCError {
        if let error = error as? IoCError { return error }
        return IoCError(code: .factoryFailed, message: "the factory of \(node.name) threw: \(error)")
    }
}
