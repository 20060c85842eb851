import Glibc
import ReluxSystem
import Synchronization

/// Signs of life from the processes of one machine, in a named pipe at which nobody waits: each host writes its name into it once a second, and the
/// broker reads all of them when it is awake anyway.
///
/// Design notes. A message and its answer wake six threads, of which two belong to the broker; this wakes the writing one. A pipe holds what many
/// hosts say in a minute, so a broker that stands still loses none of them. It says nothing of whether the writer hears anybody: for that the
/// broker asks over the connection, seldom. Where there is no pipe, as between machines, it asks each second.
///
///     1 byte    byte count of the name, at least 1
///     n bytes   identity of the writer's connection to the broker
package enum HeartbeatPipe {
    /// More bytes, or names, at a time are not believed.
    private static let readLimit = 1 << 20
    static let nameLimit = 4096

    /// The broker's end.
    package struct Reader: ~Copyable {
        private let path: String
        private var descriptor: Int32 = -1

        /// - Parameter path: what lies there and is no pipe is set aside. Where none can be made there is none, until ``hold()`` finds a way.
        package init(path: String) {
            self.path = path
            open()
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        private mutating func open() {
            if FilePlace.isTaken(path), !FilePlace.isPipe(path) {
                guard let aside = FreeName.aside(path), rename(path, aside) == 0 else { return }
            }
            // An earlier broker's pipe does as well: its hosts have it open.
            guard mkfifo(path, 0o600) == 0 || errno == EEXIST else { return }
            // It has a writer of its own, so that the end of the last host is no end of the pipe.
            let opened = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
            guard opened >= 0 else { return }
            if descriptor >= 0 { close(descriptor) }
            descriptor = opened
        }

        /// Makes the pipe anew where writers would not find it; called about once a second.
        package mutating func hold() {
            if descriptor < 0 || FileIdentity(path: path) != FileIdentity(descriptor: descriptor) { open() }
        }

        /// The names that have come since the last call, each once. What is none ends the reading: the pipe is empty then.
        package func read() -> Set<[UInt8]> {
            guard descriptor >= 0 else { return [] }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while bytes.count < readLimit {
                let count = Glibc.read(descriptor, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            return HeartbeatPipe.names(bytes)
        }
    }

    static func names(_ bytes: [UInt8]) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        var rest = bytes[...]
        while names.count < nameLimit, let count = rest.popFirst().map(Int.init), count > 0, count <= rest.count {
            names.insert(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return names
    }

    /// A host's end.
    package final class Writer: Sendable {
        private let path: String
        private let message: [UInt8]
        private let descriptor = Mutex<Int32>(-1)

        /// - Parameter identity: of the connection to the broker, 1 to 255 bytes.
        package init(path: String, identity: [UInt8]) {
            self.path = path
            message = [UInt8(clamping: identity.count)] + identity.prefix(255)
        }

        deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

        /// False when no broker reads there, or one that has not read for a long time.
        package func beat() -> Bool {
            descriptor.withLock { descriptor in
                if descriptor >= 0 {
                    if write(descriptor) { return true }
                    close(descriptor)
                }
                descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
                guard descriptor >= 0 else { return false }
                if FilePlace.isPipe(path), write(descriptor) { return true }
                close(descriptor)
                descriptor = -1
                return false
            }
        }

        /// A short message goes whole, or not at all.
        private func write(_ descriptor: Int32) -> Bool {
            BrokenPipes.silenced { Glibc.write(descriptor, message, message.count) == message.count }
        }
    }
}
