import CReluxProcess
import Foundation
import Glibc

@testable import ReluxSupervisor
import ReluxTestKit

/// A short directory of one test's own, gone with the value.
final class Scratch: Sendable {
    private let directory = TemporaryDirectory(isMade: true)
    var path: String { directory.path }

    static let child = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/child.sh").path

    /// Executables are built beside the tests.
    static func built(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
    static let probe = built("lifeline-probe")

    func text(_ name: String) -> String { (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? "" }
}

/// A named pipe into which children say lines; waits are on the event, under a watchdog of a minute.
final class Fifo: Sendable {
    let path: String
    private let descriptor: Int32

    init(in scratch: Scratch, _ name: String = "fifo") {
        path = scratch.path + "/" + name
        mkfifo(path, 0o600)
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }

    deinit { close(descriptor) }

    func line() async -> String? {
        await offPool {
            guard readable(self.descriptor) else { return nil }
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(self.descriptor, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}

/// Whether the process has ended within a minute; a zombie counts as ended.
func ended(_ pid: Int32) async -> Bool {
    await offPool {
        let descriptor = relux_process_descriptor(pid)
        guard descriptor >= 0 else { return errno == ESRCH }
        defer { close(descriptor) }
        return readable(descriptor)
    }
}

private func readable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 60_000) == 1
}

/// Runs a body that waits on a thread of its own.
func offPool<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { done in
        Thread { done.resume(returning: body()) }.start()
    }
}

extension ChildProcesses {
    /// Waits for the end of one child, under a watchdog of a minute.
    mutating func end(of pid: Int32) -> ChildStatus? {
        for _ in 0..<60 {
            if let end = wait(limit: .seconds(1)).first(where: { $0.pid == pid }) { return end.status }
        }
        return nil
    }
}
