import Glibc
import ReluxControl

/// The process that listens at a socket of the cluster.
enum Listener {
    /// The process that accepts connections at the path; nil when none does: a file that a dead process left does not count.
    static func pid(at path: String) -> pid_t? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return nil }
        // SO_PEERCRED gives a `struct ucred`: pid, uid, gid (unix(7)).
        var credentials: (pid: pid_t, uid: uid_t, gid: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return 0 }
        return credentials.pid
    }
}

extension RunDirectory {
    /// Nobody will answer any more: the cluster was taken down, or is, and its broker has ended.
    ///
    /// Where the supervisor's file alone is gone its processes are there, and make it anew.
    var isLeft: Bool {
        let supervisor = runningSupervisor()
        guard supervisor == nil || isEnding, Listener.pid(at: brokerSocket) == nil else { return false }
        return supervisor != nil || ClusterProcesses.find(self).isEmpty
    }
}
