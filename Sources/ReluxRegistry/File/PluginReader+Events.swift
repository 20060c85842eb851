package import ReluxControl

extension PluginReader {
    /// The message as an event of the registry, with directories as they are called there and with what lies in them.
    package static func event(_ message: SupervisorMessage, from connection: ConnectionID, for registry: borrowing Registry) -> Registry.Event {
        var message = message
        if case .hello(var hello) = message {
            let spelled = DirectorySpelling(registry.knownDirectories)
            hello.declared = hello.declared.map { spelled($0) }
            message = .hello(hello)
        }
        return .supervisor(connection, message, plugins: read(registry.directories(in: message)))
    }

    /// The same for a request.
    package static func event(_ request: ClientRequest, from connection: ConnectionID, for registry: borrowing Registry) -> Registry.Event {
        var request = request
        switch request.body {
        case .upgrade(let module, let directory, let dryRun):
            request.body = .upgrade(module: module, directory: DirectorySpelling(registry.knownDirectories)(directory), dryRun: dryRun)
        case .load(let host, let dryRun, let takesServed, let yes):
            request.body = .load(host: DirectorySpelling(registry.knownDirectories)(host), dryRun: dryRun, takesServed: takesServed, yes: yes)
        case .compare(let file, let isCarriedOut):
            let spelled = DirectorySpelling(registry.knownDirectories)
            request.body = .compare(file: file.map { spelled($0) }, isCarriedOut: isCarriedOut)
        default: break
        }
        return .client(connection, request, plugins: read(registry.directories(in: request)))
    }
}
