import Glibc
package import ReluxControl

/// Calls a plugin's directory what the registry calls it already, however many links the given path leads through.
///
/// The registry compares directories as texts. The configuration names one as it is written there, the command line without
/// its links: two names of one version are not two versions.
struct DirectorySpelling {
    /// By the path without links.
    private let known: [String: String]

    /// - Parameter directories: the one to prefer first.
    init(_ directories: [String]) {
        known = Dictionary(directories.compactMap { path in Self.real(path).map { ($0, path) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The path as it is when nothing is there, or nothing known.
    func callAsFunction(_ path: String) -> String { Self.real(path).flatMap { known[$0] } ?? path }

    func callAsFunction(_ spec: HostSpec) -> HostSpec {
        var spec = spec
        spec.plugins = spec.plugins.map { self($0) }
        return spec
    }

    private static func real(_ path: String) -> String? {
        guard !path.isEmpty, let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension Registry {
    /// The message as an event, with directories as they are called here and with what lies in them.
    package func event(_ message: SupervisorMessage, from connection: ConnectionID) -> Event {
        var message = message
        if case .hello(var hello) = message {
            let spelled = DirectorySpelling(knownDirectories)
            hello.declared = hello.declared.map { spelled($0) }
            message = .hello(hello)
        }
        return .supervisor(connection, message, plugins: PluginReader.read(directories(in: message)))
    }

    /// The same for a request.
    package func event(_ request: ClientRequest, from connection: ConnectionID) -> Event {
        var request = request
        switch request.body {
        case .upgrade(let module, let directory, let dryRun):
            request.body = .upgrade(module: module, directory: DirectorySpelling(knownDirectories)(directory), dryRun: dryRun)
        case .load(let host, let dryRun, let takesServed, let yes):
            request.body = .load(host: DirectorySpelling(knownDirectories)(host), dryRun: dryRun, takesServed: takesServed, yes: yes)
        case .compare(let file, let isCarriedOut):
            let spelled = DirectorySpelling(knownDirectories)
            request.body = .compare(file: file.map { spelled($0) }, isCarriedOut: isCarriedOut)
        default: break
        }
        return .client(connection, request, plugins: PluginReader.read(directories(in: request)))
    }
}
