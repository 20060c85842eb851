import Foundation
import Synchronization

/// A folder that is filled at its first use, for all tests of the process, and removed when that ends.
final class SharedFolder: Sendable {
    private let filling = Mutex<Task<String, any Error>?>(nil)

    /// - Parameter fill: called once, whoever comes first; its answer, or its error, is everybody's.
    func path(_ fill: @escaping @Sendable () async throws -> String) async throws -> String {
        let task = filling.withLock { filling in
            if let filling { return filling }
            let fresh = Task { try await fill() }
            filling = fresh
            return fresh
        }
        return try await task.value
    }

    private static let made = Mutex<[String]>([])

    /// A new folder below the system's place for temporary ones; removed when the process ends.
    static func make(_ name: String) throws -> String {
        let directory = try temporaryDirectory(name)
        let isFirst = made.withLock { made in
            made.append(directory)
            return made.count == 1
        }
        if isFirst { atexit { SharedFolder.made.withLock { $0 }.forEach { try? FileManager.default.removeItem(atPath: $0) } } }
        return directory
    }
}
