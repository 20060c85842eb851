internal import Synchronization

/// The registrations of one container: for each type one that is resolved at once, one that awaits, or both.
final class Registry: Sendable {
    private struct Key: Hashable {
        var type: ObjectIdentifier
        var awaits: Bool
    }

    private struct Contents {
        var registrations: [Key: any Sendable] = [:]
        var refusals: [IoCError] = []
        var lastWait: UInt64 = 0
        /// Callers that wait for a type to be registered.
        var waiting: [ObjectIdentifier: [UInt64: CheckedContinuation<Void, any Error>]] = [:]
    }

    private let contents = Mutex(Contents())

    var refusals: [IoCError] { contents.withLock { $0.refusals } }

    func add<T: Sendable>(_ registration: Registration<T>, replacing: Bool) -> Result<Void, IoCError> {
        let (result, waiting): (Result<Void, IoCError>, [UInt64: CheckedContinuation<Void, any Error>]) = contents.withLock { contents in
            let key = Key(type: ObjectIdentifier(T.self), awaits: registration.awaits)
            guard replacing || contents.registrations[key] == nil else {
                let error = IoCError(
                    code: .alreadyRegistered,
                    message: "\(T.self) has a factory already and keeps it; pass withReplacement: true to change it"
                )
                contents.refusals.append(error)
                return (.failure(error), [:])
            }
            // The registration that is replaced is the type's, of whichever kind.
            if replacing { contents.registrations[Key(type: key.type, awaits: !key.awaits)] = nil }
            contents.registrations[key] = registration
            return (.success(()), contents.waiting.removeValue(forKey: key.type) ?? [:])
        }
        for waiter in waiting.values { waiter.resume() }
        return result
    }

    /// - Parameter mayAwait: whether an awaiting factory is looked for first; otherwise the immediate one is.
    func registration<T: Sendable>(of type: T.Type, mayAwait: Bool) throws(IoCError) -> Registration<T> {
        let id = ObjectIdentifier(type)
        let found = contents.withLock { $0.registrations[Key(type: id, awaits: mayAwait)] ?? $0.registrations[Key(type: id, awaits: !mayAwait)] }
        guard let registration = found as? Registration<T> else {
            throw IoCError(code: .notRegistered, message: "\(Self.path(of: type)) has no factory; register one before resolving it")
        }
        return registration
    }

    func waitForRegistration(of type: Any.Type) async throws {
        let id = ObjectIdentifier(type)
        let number = contents.withLock { contents in
            contents.lastWait += 1
            return contents.lastWait
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let isOver: Result<Void, any Error>? = contents.withLock { contents in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if [true, false].contains(where: { contents.registrations[Key(type: id, awaits: $0)] != nil }) { return .success(()) }
                    contents.waiting[id, default: [:]][number] = waiter
                    return nil
                }
                if let isOver { waiter.resume(with: isOver) }
            }
        } onCancel: {
            contents.withLock { $0.waiting[id]?.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    /// With the namespaces that the type lies in: every domain has an `IRouter`.
    private static func path(of type: Any.Type) -> String {
        var path = String(reflecting: type)
        // `(extension in NotesReluxInt):NotesModels.Notes.Business.IRouter`
        if path.hasPrefix("("), let end = path.firstIndex(of: ":") { path = String(path[path.index(after: end)...]) }
        return path
    }
}
