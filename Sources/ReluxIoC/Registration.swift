internal import Synchronization

/// How one type is made, and the value if it lives as long as the container.
final class Registration<T: Sendable>: Sendable {
    enum Factory: Sendable {
        case immediate(@Sendable () throws -> T)
        case mainActor(@MainActor @Sendable () throws -> T)
        case awaiting(@Sendable () async throws -> T)
    }

    private enum Shared {
        case none
        case building([CheckedContinuation<Result<T, IoCError>, Never>])
        case built(T)
    }

    private let lifecycle: IoC.Lifecycle
    private let factory: Factory
    private let node: ResolutionNode
    /// Held while an immediate container value is built, so that it is built once. The builder's own thread never asks
    /// for it again: the resolution path refuses that as a cycle.
    private let immediateBuild = Mutex<Void>(())
    private let shared = Mutex<Shared>(.none)

    init(_ type: T.Type, _ lifecycle: IoC.Lifecycle, _ factory: Factory) {
        self.lifecycle = lifecycle
        self.factory = factory
        self.node = ResolutionNode(name: "\(type)")
    }

    func resolve(onMainActor: Bool) throws(IoCError) -> T {
        switch factory {
        case .awaiting:
            throw IoCError(
                code: .asynchronousOnly, message: "\(node.name) has a factory that awaits; use getAsync or resolveAsync"
            )
        case .immediate(let make):
            return try resolveImmediately(make)
        case .mainActor(let make):
            if let value = builtValue { return value }
            guard onMainActor else {
                throw IoCError(
                    code: .mainActorOnly,
                    message: "\(node.name) is made on the main actor; resolve it from there, or use getAsync or resolveAsync"
                )
            }
            return try resolveImmediately { try MainActor.assumeIsolated { try make() } }
        }
    }

    func resolveAsync() async throws(IoCError) -> T {
        switch factory {
        case .immediate(let make): try resolveImmediately(make)
        case .mainActor(let make): try await resolveOnMainActor(make)
        case .awaiting(let make): try await resolveAwaiting(make)
        }
    }

    @MainActor
    private func resolveOnMainActor(_ make: @MainActor () throws -> T) throws(IoCError) -> T {
        try resolveImmediately { try make() }
    }

    private func resolveImmediately(_ make: () throws -> T) throws(IoCError) -> T {
        if let value = builtValue { return value }
        let waiting = try ResolutionPath.enter(node)
        defer { waiting?.leave(node) }
        guard lifecycle == .container else { return try run(make) }
        return try immediateBuild.withLock { _ throws(IoCError) in
            if let value = builtValue { return value }
            let value = try run(make)
            shared.withLock { $0 = .built(value) }
            return value
        }
    }

    private func resolveAwaiting(_ make: @Sendable () async throws -> T) async throws(IoCError) -> T {
        if let value = builtValue { return value }
        let waiting = try ResolutionPath.enter(node)
        defer { waiting?.leave(node) }
        guard lifecycle == .container else { return try await run(make) }
        let isBuilder = shared.withLock { shared in
            guard case .none = shared else { return false }
            shared = .building([])
            return true
        }
        guard isBuilder else { return try await builtByAnother(make) }
        let result: Result<T, IoCError>
        do { result = .success(try await run(make)) } catch { result = .failure(error) }
        finish(result)
        return try result.get()
    }

    private func builtByAnother(_ make: @Sendable () async throws -> T) async throws(IoCError) -> T {
        try await withCheckedContinuation { continuation in
            let known: Result<T, IoCError>? = shared.withLock { shared in
                switch shared {
                case .built(let value): return .success(value)
                case .building(let waiters):
                    shared = .building(waiters + [continuation])
                    return nil
                case .none:
                    return .failure(IoCError(
                        code: .factoryFailed, message: "\(node.name): the factory that was waited for failed; resolve again"
                    ))
                }
            }
            if let known { continuation.resume(returning: known) }
        }.get()
    }

    private func finish(_ result: Result<T, IoCError>) {
        let waiters = shared.withLock { shared in
            guard case .building(let waiters) = shared else { return [] as [CheckedContinuation<Result<T, IoCError>, Never>] }
            if case .success(let value) = result { shared = .built(value) } else { shared = .none }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    private var builtValue: T? {
        shared.withLock { shared in
            if case .built(let value) = shared { value } else { nil }
        }
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
