import Glibc
import ReluxControl
import ReluxZeroMQ

extension DoctorChecks {
    /// The cluster's processes against its files and its status: each that does not fit is named.
    ///
    /// - Parameter status: nil when no broker answers.
    static func processes(_ run: RunDirectory, _ status: ClusterStatus?) -> [DoctorFinding] {
        let processes = ClusterProcesses.find(run)
        guard !processes.isEmpty else { return [] }
        var findings = unique(processes, run) + sockets(run, processes, status)
        if let stopped = ProcessState.stopped(run) { findings.append(.init(.fail, "processes", stopped.message, remedy: stopped.hint)) }
        for process in processes {
            if let log = ProcessFiles.file(STDERR_FILENO, of: process.pid), log.hasSuffix(" (deleted)"), log.hasPrefix(run.logs) {
                findings.append(.init(.warn, "log", "\(process.description) writes to \(log)", remedy: "it opens it again within seconds"))
            }
            if case .host(let name) = process.role, let status, !isKnown(name, process.pid, status) {
                findings.append(
                    .init(.warn, "processes", "\(process.description) is not known to the broker", remedy: "relux logs \(name)"))
            }
        }
        if findings.allSatisfy({ $0.verdict == .ok }) {
            findings.append(.init(.ok, "processes", "\(processes.count) run, each with its sockets and files"))
        }
        return findings
    }

    private static func unique(_ processes: [ClusterProcess], _ run: RunDirectory) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        for role in [ClusterProcess.Role.supervisor, .broker] {
            let those = processes.filter { $0.role == role }
            if those.count > 1 {
                findings.append(.init(.fail, "processes", "more than one: \(ClusterProcesses.list(those))", remedy: "relux down, then relux up"))
            }
            if those.isEmpty {
                findings.append(
                    .init(.fail, "processes", "no \(role) runs, but \(ClusterProcesses.list(processes))", remedy: "relux down, then relux up"))
            }
        }
        if let supervisor = processes.first(where: { $0.role == .supervisor }), run.runningSupervisor() == nil {
            findings.append(
                .init(
                    .fail, "processes", "\(supervisor.description) runs, but \(run.supervisorPid) is gone or not locked",
                    remedy: "it makes it anew or ends within seconds; else relux down"))
        }
        return findings
    }

    /// The sockets that processes should have bound but are gone, and those that ended processes have left.
    static func sockets(_ run: RunDirectory, _ processes: [ClusterProcess], _ status: ClusterStatus?) -> [DoctorFinding] {
        var expected: [(path: String, owner: String)] = []
        if let broker = processes.first(where: { $0.role == .broker }) { expected.append((run.brokerSocket, broker.description)) }
        // A host whose modules were refused, or have left, ends: the picture follows.
        let living = Set((status?.modules ?? []).filter { $0.pid > 0 && kill($0.pid, 0) == 0 }.map(\.host))
        for host in status?.picture.hosts ?? [] where living.contains(host.id) {
            for endpoint in [host.endpoint, host.tapEndpoint] where endpoint.hasPrefix("ipc://") {
                expected.append((String(endpoint.dropFirst("ipc://".count)), "host \(host.id)"))
            }
        }
        var findings: [DoctorFinding] = expected.compactMap { path, owner in
            var found = stat()
            if lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFSOCK { return nil }
            return .init(.fail, "socket", "\(path) of \(owner) is gone", remedy: "its process binds it again within seconds; else restart it")
        }
        let known = Set(expected.map(\.path))
        for path in names(in: run.sockets).filter({ $0.contains(".replaced-") }).map({ "\(run.sockets)/\($0)" }) {
            findings.append(.init(.warn, "socket", "\(path) lay in the place of a socket and was set aside", remedy: "rm -r \(path), if nobody needs it"))
        }
        for path in names(in: run.sockets).filter({ $0.hasSuffix(".ipc") }).map({ "\(run.sockets)/\($0)" })
        where status != nil && !known.contains(path) && !SocketLock.isHeld(path) {
            findings.append(.init(.warn, "socket", "\(path) is left of a process that has ended", remedy: "rm \(path), or leave it to the next relux up"))
        }
        return findings
    }

    private static func isKnown(_ name: String, _ pid: Int32, _ status: ClusterStatus) -> Bool {
        status.picture.hosts.contains { $0.id.rawValue == name } || status.modules.contains { $0.pid == pid || $0.host.rawValue == name }
    }

    private static func names(in directory: String) -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted()
    }
}
