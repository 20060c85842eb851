import Glibc
import ReluxControl

/// A process of a cluster, found among the machine's processes and not by a file that it should have left.
struct ClusterProcess: Hashable {
    enum Role: Hashable, CustomStringConvertible {
        case supervisor, broker
        /// By the name that it was given.
        case host(String)
        /// A host that a person has started.
        case interface(String)

        var description: String {
            switch self {
            case .supervisor: "supervisor"
            case .broker: "broker"
            case .host(let name): "host \(name)"
            case .interface(let name): "interface \(name)"
            }
        }
    }
    let identity: ProcessIdentity
    let role: Role
    var pid: Int32 { identity.pid }
    var description: String { "\(role) \(pid)" }

    /// The role of a process and the run directory of its cluster, by its program and its arguments; nil for a process that is no part of any.
    ///
    /// - Parameter parent: the name of the parent's program: hosts are a supervisor's children, interfaces a person's.
    static func part(
        program: String, arguments: [String], parent: String
    ) -> (role: Role, run: String)? {
        func value(_ flag: String) -> String? {
            guard let index = arguments.firstIndex(of: flag), arguments.indices.contains(index + 1) else { return nil }
            return arguments[index + 1]
        }
        guard program != "relux", let run = value("--run") else { return nil }
        switch program {
        case "relux-supervisor": return (.supervisor, run)
        case "relux-broker": return (.broker, run)
        default:
            guard let host = value("--host") else { return nil }
            return (parent == "relux-supervisor" || program.hasPrefix("relux-host") ? .host(host) : .interface(host), run)
        }
    }
}

/// The processes of one cluster: every one of this user's that was started for its run directory, whatever became of its files.
enum ClusterProcesses {
    /// In the order of their numbers.
    static func find(_ run: RunDirectory) -> [ClusterProcess] {
        let wanted: Set = [run.path, canonical(run.path)]
        var found: [Int32: ClusterProcess.Role] = [:]
        var parents: [Int32: Int32] = [:]
        for pid in ProcessFiles.own() where pid != getpid() {
            guard let program = ProcessFiles.executable(of: pid), let facts = ProcessFiles.facts(of: pid) else { continue }
            let part = ClusterProcess.part(
                program: name(program), arguments: ProcessFiles.arguments(of: pid),
                parent: ProcessFiles.executable(of: facts.parent).map(name) ?? "")
            guard let part else { continue }
            let path = part.run.hasPrefix("/") ? part.run : (ProcessFiles.workingDirectory(of: pid) ?? "") + "/" + part.run
            guard wanted.contains(RunDirectory(path: path).path) || wanted.contains(canonical(path)) else { continue }
            found[pid] = part.role
            parents[pid] = facts.parent
            // A supervisor that was told its directory by the configuration alone is known by its broker.
            if part.role == .broker, ProcessFiles.executable(of: facts.parent).map(name) == "relux-supervisor" {
                found[facts.parent] = .supervisor
            }
        }
        // A child that is just being started still looks like its parent.
        for (pid, parent) in parents where found[pid] == .supervisor && found[parent] == .supervisor { found[pid] = nil }
        // The lock is as good a proof.
        if let supervisor = run.runningSupervisor(), supervisor != getpid() { found[supervisor] = .supervisor }
        return found.map { ClusterProcess(identity: ProcessIdentity(pid: $0.key), role: $0.value) }
            .filter(\.identity.isAlive).sorted { $0.pid < $1.pid }
    }

    static func list(_ processes: [ClusterProcess]) -> String { processes.map(\.description).joined(separator: ", ") }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func canonical(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
