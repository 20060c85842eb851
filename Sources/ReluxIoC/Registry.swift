internal import Synchronization

/// The registrations of one container, one per type.
final class Registry: Sendable {
    private struct Contents {
        var registrations: [ObjectIdentifier: any Sendable] = [:]
        var refusals: [IoCError] = []
    }

    private let contents = Mutex(Contents())

    var refusals: [IoCError] { contents.withLock { $0.refusals } }

    func add<T: Sendable>(_ registration: Registration<T>, replacing: Bool) -> Result<Void, IoCError> {
        contents.withLock { contents in
            let key = ObjectIdentifier(T.self)
            guard replacing || contents.registrations[key] == nil else {
                let error = IoCError(
                    code: .alreadyRegistered,
                    message: "\(T.self) has a factory already and keeps it; pass withReplacement: true to change it"
                )
                contents.refusals.append(error)
                return .failure(error)
            }
            contents.registrations[key] = registration
            return .success(())
        }
    }

    func registration<T: Sendable>(of type: T.Type) throws(IoCError) -> Registration<T> {
        let found = contents.withLock { $0.registrations[ObjectIdentifier(type)] }
        guard let registration = found as? Registration<T> else {
            throw IoCError(code: .notRegistered, message: "\(Self.path(of: type)) has no factory; register one before resolving it")
        }
        return registration
    }

    /// With the namespaces that the type lies in: every domain has an `IRouter`.
    private static func path(of type: Any.Type) -> String {
        var path = String(reflecting: type)
        // `(extension in NotesReluxInt):NotesModels.Notes.Business.IRouter`
        if path.hasPrefix("("), let end = path.firstIndex(of: ":") { path = String(path[path.index(after: end)...]) }
        return path
    }
}
