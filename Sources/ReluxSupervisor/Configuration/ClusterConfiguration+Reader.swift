import Foundation
import Glibc
import ReluxControl
import ReluxWire
internal import Yams

extension ClusterConfiguration {
    /// Reads and checks the file.
    ///
    /// - Parameter flags: values by dotted key, as the command line gave them; they win over all else.
    /// - Throws: the first thing that is wrong, with its line and what is allowed.
    package static func load(
        file: String, environment: [String: String] = ProcessInfo.processInfo.environment, flags: [String: String] = [:]
    ) throws(ConfigurationError) -> Self {
        let url = URL(fileURLWithPath: file).standardizedFileURL
        let text = try text(of: url, file)
        return try read(
            text, named: url.lastPathComponent, beside: url.deletingLastPathComponent().path, environment: environment,
            flags: flags)
    }

    private static func text(of url: URL, _ file: String) throws(ConfigurationError) -> String {
        func refusal(_ what: String) -> ConfigurationError { ConfigurationError(.unreadable, at: file, "\(what); name the cluster's file with --config") }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { throw refusal("there is no such file") }
        if isFolder.boolValue { throw refusal("it is a directory") }
        // A device has no end, and whoever opens a pipe waits for somebody at its other end.
        var status = stat()
        if stat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let kind =
                switch status.st_mode & S_IFMT {
                case S_IFCHR, S_IFBLK: "a device"
                case S_IFIFO: "a pipe"
                case S_IFSOCK: "a socket"
                default: "something else"
                }
            throw refusal("it is no regular file but \(kind)")
        }
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw refusal(access(url.path, R_OK) == 0 ? "it cannot be read" : "this user may not read it (\(String(cString: strerror(errno))))")
        }
        guard let text = String(data: data, encoding: .utf8) else { throw refusal("it is no UTF-8 text") }
        return text
    }

    /// The same from a text; relative paths start at `beside`.
    package static func read(
        _ text: String, named name: String, beside: String, environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) throws(ConfigurationError) -> Self {
        let document = try ConfigurationDocument(text, name: name)
        var values: [String: String] = [:]
        var places: [String: String] = [:]
        var effective: [EffectiveValue] = []
        for key in ConfigurationKey.all {
            var (value, origin, place) = (key.fallback, EffectiveValue.Origin.fallback, "default")
            if let flag = flags[key.name] {
                (value, origin, place) = (flag, .flag, "flag")
            } else if let variable = environment[key.variable] {
                (value, origin, place) = (variable, .environment(variable: key.variable), key.variable)
            } else if let entry = document.scalars[key.name] {
                (value, origin, place) = (entry.text, .file(line: entry.line), "\(name):\(entry.line)")
            }
            if case .path = key.kind {
                // Flags and variables are the caller's paths, the file's are the file's.
                let base = origin == .fallback || place.hasPrefix(name) ? beside : FileManager.default.currentDirectoryPath
                if value.isEmpty, origin == .fallback {
                    value = key.name == "cluster.packed" ? "\(values["cluster.directory"]!)/packed" : ".relux"
                }
                value = value.isEmpty ? value : try absolute(value, base: base, environment, key.name, at: place)
            }
            if let code = key.refusal(of: value) {
                throw ConfigurationError(
                    code, at: place, "\(key.name): \"\(value)\" is not allowed; it takes \(key.allowed)")
            }
            values[key.name] = value
            if origin != .fallback { places[key.name] = place }
            effective.append(EffectiveValue(key: key.name, value: value, origin: origin))
        }
        if values["cluster.directory"] == "/" {
            throw ConfigurationError(
                .outOfRange, at: places["cluster.directory"] ?? name,
                "cluster.directory: \"/\" is not allowed; it takes a directory of the cluster's own, such as /var/lib/relux")
        }
        func duration(_ key: String) -> Duration { DurationText.parse(values[key]!)! }
        func integer(_ key: String) -> Int { Int(values[key]!)! }
        let limits = RestartPolicy.Limits(
            intensity: integer("supervisor.intensity"), period: duration("supervisor.period"),
            base: duration("supervisor.backoff.base"), cap: duration("supervisor.backoff.cap"),
            healthyAfter: duration("supervisor.backoff.reset"))
        if let (key, other, text) = ConfigurationRules.contradiction(in: values) {
            // The place of whichever of the two was set.
            let place = [key, other].compactMap { places[$0] }.first ?? name
            throw ConfigurationError(key == other ? .outOfRange : .conflict, at: place, text)
        }
        let packed = values["cluster.packed"]!
        let plugins = try document.plugins.map { (node) throws(ConfigurationError) in
            try PluginEntry(node, in: document, packed: packed, beside: beside, environment)
        }
        let hosts = try PluginEntry.hosts(of: plugins, in: document)
        for host in hosts {
            let own = EnvironmentRules.overrides(host.environment)
            guard !own.isEmpty, let found = ConfigurationRules.contradiction(in: values.merging(own) { $1 }) else { continue }
            let place = plugins.first { $0.host == host.id.rawValue }?.place ?? name
            throw ConfigurationError(.conflict, at: place, "host \(host.id) by its environment: \(found.text)")
        }
        return Self(
            name: values["cluster.name"]!, directory: values["cluster.directory"]!, packed: packed,
            hosts: hosts,
            supervision: .init(
                limits: limits,
                stop: .init(drain: duration("supervisor.stop.drain"), term: duration("supervisor.stop.term"))),
            dispatchDeadline: duration("dispatch.deadline"), busPatience: duration("bus.patience"),
            busQueueMebibytes: integer("bus.queue-mebibytes"),
            memory: MemoryLimits(brokerMebibytes: integer("memory.broker-mebibytes"), hostMebibytes: integer("memory.host-mebibytes")),
            effective: effective)
    }

    /// - Parameter path: absolute, below the user's home (`~/`), or relative to `base`.
    /// - Throws: where there is no home.
    static func absolute(
        _ path: String, base: String, _ environment: [String: String], _ key: String, at place: String
    ) throws(ConfigurationError) -> String {
        var path = path
        if path.hasPrefix("~/") {
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw ConfigurationError(
                    .outOfRange, at: place, "\(key): \"\(path)\" begins in the user's home, and HOME names none; set HOME, or write an absolute path")
            }
            path = home + path.dropFirst()
        }
        let url = path.hasPrefix("/") ? URL(fileURLWithPath: path) : URL(fileURLWithPath: base + "/" + path)
        return url.standardizedFileURL.path
    }
}
