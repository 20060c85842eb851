internal import CReluxProcess
internal import Glibc

/// Keeps this process from running out of descriptors by its peers.
///
/// libzmq 4.3.4 aborts the process whose last descriptor a peer takes. Behind the fence, at ``percent`` of what the process may have,
/// peers that connect are turned away at once, whatever their number and speed; those who are connected stay, and libzmq's peers
/// come again by themselves.
package struct DescriptorFence: Sendable, Hashable {
    package static let percent = 80

    /// Descriptors that are open.
    package var used: Int
    /// The soft limit.
    package var limit: Int
    /// Peers, since the start of the process.
    package var turnedAway: UInt64
    /// The process of the last of them; 0 when it is not known.
    package var lastPeer: Int32

    package init(used: Int, limit: Int, turnedAway: UInt64 = 0, lastPeer: Int32 = 0) {
        self.used = used
        self.limit = limit
        self.turnedAway = turnedAway
        self.lastPeer = lastPeer
    }

    package var isReached: Bool { used * 100 >= limit * Self.percent }

    /// The trouble, with the figures and the remedy; nil while there is room.
    package var trouble: String? {
        guard isReached else { return nil }
        let turned = turnedAway == 0
            ? "" : ", \(turnedAway) so far" + (lastPeer > 0 ? ", the last was process \(lastPeer)" : "")
        return "\(used) of \(limit) descriptors are open: new peers are turned away from \(Self.percent) % on\(turned); "
            + "end the process that holds them, or raise the limit (ulimit -n) and start the cluster again"
    }

    /// From here on this process is fenced; once, before its sockets are bound.
    package static func raise() { relux_descriptor_fence(Int32(percent)) }

    /// How it stands now. Counts descriptors only where the limit is near: it may be asked every second.
    package static var now: DescriptorFence {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let limit = Int(clamping: limits.rlim_cur)
        var fence = DescriptorFence(
            used: lowestFree(), limit: limit, turnedAway: UInt64(relux_descriptor_turned_away()), lastPeer: relux_descriptor_last_peer())
        guard fence.isReached else { return fence }
        // Without a free descriptor the folder cannot be read, and the first figure stands.
        let count = OpenDescriptors.numbers().count
        if count > 0 { fence.used = count }
        return fence
    }

    /// A lower bound of the descriptors in use; above every limit if none is free.
    private static func lowestFree() -> Int {
        let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return .max / 100 }
        close(descriptor)
        return Int(descriptor)
    }
}
