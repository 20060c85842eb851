import Glibc

/// The service manager that has started this process, as sd_notify(3) has it; silent under any other.
///
/// What is told it is for it alone: children do not inherit the way to it.
package final class ServiceManager: Sendable {
    private let address: String
    /// How often it wants to hear of this process at least; nil when it does not watch.
    package let watchdog: Duration?

    package init(address: String, watchdog: Duration?) {
        self.address = address
        self.watchdog = watchdog
    }

    /// Takes the variables out of the environment of this process.
    /// - Returns: nil where no manager wants to be told.
    package init?() {
        func take(_ name: String) -> String? {
            defer { unsetenv(name) }
            return getenv(name).map { String(cString: $0) }
        }
        let (socket, interval, pid) = (take("NOTIFY_SOCKET"), take("WATCHDOG_USEC"), take("WATCHDOG_PID"))
        guard let socket, let first = socket.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        address = socket
        let isMeant = pid.flatMap(Int32.init).map { $0 == getpid() } ?? true
        watchdog = isMeant ? interval.flatMap(Int64.init).flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Lines such as `READY=1`. A manager that does not listen is none.
    /// - Returns: whether they were handed over.
    @discardableResult
    package func tell(_ lines: String) -> Bool {
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: place.sun_path) else { return false }
        // A name that is no file begins with a zero.
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let text = Array(lines.utf8)
        return withUnsafePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length) }
        } == text.count
    }
}
