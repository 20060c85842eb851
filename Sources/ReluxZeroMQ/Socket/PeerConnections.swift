internal import CReluxProcess
internal import Glibc
import ReluxSystem

/// The connections that others have made to a socket of this process, as the kernel knows them.
package enum PeerConnections {
    /// Ends every connection of a process to the ipc socket at `path`: libzmq finds it closed by the peer, and forgets what it had of it.
    ///
    /// libzmq 4.3.4 cannot end one connection of a socket. The descriptors are its own, so they are only shut down, never closed here.
    /// - Returns: how many there were.
    @discardableResult
    package static func end(of process: Int32, at path: String) -> Int {
        var ended = 0
        for descriptor in OpenDescriptors.numbers() where peer(of: descriptor, at: path) == process {
            if shutdown(descriptor, Int32(SHUT_RDWR)) == 0 { ended += 1 }
        }
        return ended
    }

    /// How many connections to the ipc socket at `path` there are, by the process that has made them.
    package static func byProcess(at path: String) -> [Int32: Int] {
        var counts: [Int32: Int] = [:]
        for descriptor in OpenDescriptors.numbers() {
            if let process = peer(of: descriptor, at: path) { counts[process, default: 0] += 1 }
        }
        return counts
    }

    /// Lets `count` more connections in at the ipc socket at `path`, however fast they come; later ones are turned away until the next call.
    /// One socket of a process, the last that was named.
    package static func letIn(_ count: Int, at path: String) { relux_door_open(path, count) }

    /// How many were turned away there since the start of the process.
    package static var turnedAway: UInt64 { UInt64(relux_door_turned_away()) }

    /// How many have come in there since the start of the process, those that have left included.
    package static var cameIn: UInt64 { UInt64(relux_door_let_in()) }

    /// How many bytes each process may send at once to the ipc socket at `path`, and how many more each second; all its connections share them. The
    /// connection over which it sends more is ended before libzmq has read it. At most 64 sockets of this process.
    package static func limitIntake(_ bytes: Int, perSecond: Int, at path: String) { relux_intake_open(path, bytes, perSecond) }

    /// Ends the measuring of what is sent there.
    package static func endIntakeLimit(at path: String) { relux_intake_close(path) }

    /// How often a connection was ended there for it.
    package static func cutForIntake(at path: String) -> UInt64 { UInt64(relux_intake_cut(path)) }

    /// The process that has made this connection to the socket at `path`; nil for any other descriptor.
    private static func peer(of descriptor: Int32, at path: String) -> Int32? {
        // SO_PEERCRED gives a `struct ucred`: pid, uid, gid (unix(7)).
        var credentials: (pid: pid_t, uid: uid_t, gid: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        // The one that listens has our own credentials, and the path too.
        var isListening: Int32 = 0
        length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 0 else { return nil }
        var address = sockaddr_un()
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) } == 0
        }
        guard isNamed, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let isSame = withUnsafeBytes(of: address.sun_path) { $0.prefix { $0 != 0 }.elementsEqual(path.utf8) }
        return isSame ? credentials.pid : nil
    }
}
