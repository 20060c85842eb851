import Glibc
import ReluxTestKit
import ReluxZeroMQ
import Testing

extension TemporaryDirectory {
    func ipc(_ name: String) -> String { "ipc://\(path)/\(name)" }
}

/// Where a test's sockets meet.
enum Transport: CaseIterable {
    case inproc, ipc

    func endpoint(_ directory: TemporaryDirectory) -> String {
        switch self {
        case .inproc: "inproc://\(directory.path)"
        case .ipc: directory.ipc("socket")
        }
    }
}

struct Silence: Error {}

/// The next message with its parts; the watchdog ends the test when none comes.
func next(_ socket: borrowing ZeroMQSocket) throws -> [[UInt8]] {
    var poller = Poller()
    poller.add(socket)
    guard try poller.wait(milliseconds: 20_000) > 0, let parts = try socket.receiveParts() else { throw Silence() }
    return parts
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

func createFile(_ path: String, _ text: String = "") throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    _ = write(descriptor, text, text.utf8.count)
    close(descriptor)
}

func thrown(_ body: () throws -> Void) -> ZeroMQError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ZeroMQError
    }
}
