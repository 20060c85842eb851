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
    /// When the last of them came, in seconds since 1970.
    package var lastTime: Int64

    package init(used: Int, limit: Int, turnedAway: UInt64 = 0, lastPeer: Int32 = 0, lastTime: Int64 = 0) {
        self.lastTime = lastTime
        self.used = used
        self.limit = limit
        self.turnedAway = turnedAway
        self.lastPeer = lastPeer
    }

    package var isReached: Bool { used * 100 >= limit * Self.percent }

    /// The trouble, with the figures and the remedy; nil while there is room and nobody was turned away in this process's life.
    package var trouble: String? {
        let last = (lastPeer > 0 ? ", the last was process \(lastPeer)" : ", the last came") + " at \(Self.utc(lastTime))"
        if isReached {
            return "\(used) of \(limit) descriptors are open: new peers are turned away from \(Self.percent) % on"
                + (turnedAway == 0 ? "" : ", \(turnedAway) so far\(last)") + "; "
                + "end the process that holds them, or raise the limit (ulimit -n) and start the cluster again"
        }
        guard turnedAway > 0 else { return nil }
        return "\(turnedAway) peers were turned away since it was started, because \(Self.percent) % of its \(limit) descriptors were open\(last); "
            + "there is room again; if that was no flood, raise the limit (ulimit -n) and start the cluster again"
    }

    /// `2026-11-27 04:12:09Z`
    private static func utc(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        var text = [CChar](repeating: 0, count: 32)
        guard gmtime_r(&time, &parts) != nil, strftime(&text, text.count, "%Y-%m-%d %H:%M:%SZ", &parts) > 0 else { return "an unknown time" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// From here on this process is fenced; once, before its sockets are bound.
    package static func raise() { relux_descriptor_fence(Int32(percent)) }

    /// How it stands now. Counts descriptors only where the limit is near: it may be asked every second.
    package static var now: DescriptorFence {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let limit = Int(clamping: limits.rlim_cur)
        var fence = DescriptorFence(
            used: lowestFree(), limit: limit, turnedAway: UInt64(relux_descriptor_turned_away()), lastPeer: relux_descriptor_last_peer(),
            lastTime: relux_descriptor_last_time())
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
