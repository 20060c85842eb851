import Foundation
import Glibc

/// A folder that goes with the test; a short path without symbolic links.
final class Sandbox: Sendable {
    let path: String

    init() throws {
        path = "/tmp/relux-dev-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and the folders above it; a program when it begins like a script.
    @discardableResult
    func write(_ name: String, _ text: String = "\n") throws -> String {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
        // In place, as some editors write; a rename is tested by itself.
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        if text.hasPrefix("#!") { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file) }
        return file
    }

    /// Where a program lies, by `PATH`.
    static func program(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func text(_ name: String) -> String { String(decoding: FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data(), as: UTF8.self) }
}

/// A named pipe, as what happens in other processes is awaited: without asking again and again.
final class NamedPipe: Sendable {
    let path: String

    init(_ path: String) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EEXIST) }
    }

    /// The text that is written until nobody has the pipe open any more. Blocks until then, from before the first writer.
    func readToEnd() throws -> String { Self.readToEnd(try open(O_RDONLY)) }

    /// An end that only this process has: who inherited one that can write would be waited for, too. Foundation's are inherited by whatever
    /// is started meanwhile, by tests beside this one as well.
    func open(_ mode: Int32) throws -> FileHandle {
        let descriptor = Glibc.open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// The same of an end that is open already: it does not wait for a first writer.
    static func readToEnd(_ end: FileHandle) -> String {
        String(decoding: (try? end.readToEnd()) ?? Data(), as: UTF8.self)
    }
}

/// Runs a blocking body on a thread of its own, never in the cooperative pool. A cancelled caller, as by a time limit, leaves it behind.
func offPool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    let (results, yield) = AsyncThrowingStream.makeStream(of: R.self)
    Thread {
        do {
            yield.yield(try body())
            yield.finish()
        } catch { yield.finish(throwing: error) }
    }.start()
    for try await result in results { return result }
    throw CancellationError()
}
