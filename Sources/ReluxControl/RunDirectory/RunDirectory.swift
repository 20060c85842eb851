import Glibc

/// Where a cluster's processes of one node meet: sockets, pid file, logs, crash reports, state, registry.
///
/// ```
/// <run>/sockets/broker.ipc, broker.members, broker.heartbeats, <host>.ipc, <host>.tap   (or /tmp/relux-<uid>-<hash>/ when <run> is too long)
/// <run>/supervisor.pid     locked for as long as the supervisor lives
/// <run>/logs/<host>.log    <run>/crashes/    <run>/state/<module>/    <run>/journals/<module>/
/// <run>/registry           written by the process that has <run>/registry.lock
/// ```
/// All processes derive the same paths from the same `path`, so none needs to be told more than that. Making the value
/// touches nothing; ``create()`` makes the directories, owned by this user and closed to others (0700).
package struct RunDirectory: Sendable, Hashable {
    /// A socket's path must fit in 108 bytes with its terminator; what is longer than this is moved or shortened.
    package static let socketPathLimit = 100

    /// Absolute, without a trailing slash.
    package let path: String
    package let sockets: String

    /// A relative path is taken from the working directory.
    package init(path: String) {
        var absolute = path.hasPrefix("/") ? path : Self.workingDirectory() + "/" + path
        while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
        self.path = absolute
        let inside = absolute + "/sockets"
        // Room for a host's name of 32 bytes with its suffix.
        sockets = inside.utf8.count + 37 <= Self.socketPathLimit
            ? inside : "/tmp/relux-\(geteuid())-\(Self.hash(Self.resolved(absolute), digits: 8))"
    }

    /// The same without links, as far as it is there: one directory has one folder of sockets, however its path is spelled.
    private static func resolved(_ path: String) -> String {
        var (head, rest) = (path[...], "")
        while !head.isEmpty {
            if let found = realpath(String(head), nil) {
                defer { free(found) }
                let known = String(cString: found)
                return known == "/" ? rest : known + rest
            }
            let cut = head.lastIndex(of: "/") ?? head.startIndex
            rest = head[cut...] + rest
            head = head[..<cut]
        }
        return rest
    }

    package var logs: String { path + "/logs" }
    package var crashes: String { path + "/crashes" }
    package var state: String { path + "/state" }
    package var journals: String { path + "/journals" }
    package var registry: String { path + "/registry" }
    /// The cluster's key, for secrets; made by the supervisor, 0600.
    package var key: String { path + "/key" }
    /// The settings that the supervisor was started with; see ``SettingsInForce``.
    package var settings: String { path + "/settings" }
    package var supervisorPid: String { path + "/supervisor.pid" }
    /// Where `relux module pack` publishes plugins if the configuration names no other place.
    package var packed: String { path + "/packed" }

    /// The module's own place for files; whoever runs the module makes it with ``createState(of:)``.
    package func state(of module: String) -> String { state + "/" + stateName(of: module) }
    /// The name of that place among the others.
    package func stateName(of module: String) -> String { fileName(module, budget: 255) }
    /// The module's journal; its writer makes the directory.
    package func journal(of module: String) -> String { journals + "/" + fileName(module, budget: 255) }
    /// Which handlers of the module run, or ran when its process died; see ``OpenTable``.
    package func openTable(of module: String) -> String { journal(of: module) + Self.openTableSuffix }
    package static let openTableSuffix = ".open"
    /// The note on the module's own files; see ``ModuleFiles``.
    package func filesMark(of module: String) -> String { journal(of: module) + Self.filesMarkSuffix }
    package static let filesMarkSuffix = ".files"
    package func log(of process: String) -> String { logs + "/" + fileName(process, budget: 240) + ".log" }

    package var brokerSocket: String { sockets + "/broker.ipc" }
    /// Where clients ask.
    package var brokerEndpoint: String { "ipc://" + brokerSocket }
    /// Where hosts and the supervisor speak with the broker; no host's own socket ends so.
    package var membersEndpoint: String { "ipc://" + sockets + "/broker.members" }
    /// Where hosts say that they live; see ``HeartbeatPipe``.
    package var heartbeats: String { sockets + "/broker.heartbeats" }
    /// Where the host's XPUB is bound, and its PUB for taps.
    package func endpoint(of host: String) -> String { "ipc://" + socket(of: host) + ".ipc" }
    package func tapEndpoint(of host: String) -> String { "ipc://" + socket(of: host) + ".tap" }

    private func socket(of host: String) -> String {
        // Only the broker may own the name `broker.ipc`.
        let name = host == "broker" ? "host-broker" : host
        return sockets + "/" + fileName(name, budget: Self.socketPathLimit - sockets.utf8.count - 5)
    }

    /// The name itself if it is a safe file name of at most `budget` bytes, else a hash of it.
    private func fileName(_ name: String, budget: Int) -> String {
        let safe = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return safe && !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= budget
            ? name : "x" + Self.hash(name, digits: 16)
    }

    /// FNV-1a, 64 bits: a name for a path, no protection against an adversary (the owner is checked for that).
    private static func hash(_ text: String, digits: Int) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let hex = String(value, radix: 16)
        return String((String(repeating: "0", count: 16 - hex.count) + hex).prefix(digits))
    }

    private static func workingDirectory() -> String {
        guard let raw = getcwd(nil, 0) else { return "" }
        defer { free(raw) }
        return String(cString: raw)
    }
}
