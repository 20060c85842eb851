import Glibc

/// A connection to a Unix socket that says nothing.
enum RawPeer {
    /// - Parameter waits: for room among those who wait to be let in; else there may be none.
    /// - Returns: the descriptor, the caller's to close; nil when nobody listens there, or there is no room.
    static func connected(to path: String, waits: Bool) -> Int32? {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, Int32(kind), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        if result == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
