import Glibc
import ReluxControl

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
