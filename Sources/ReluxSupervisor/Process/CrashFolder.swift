import Foundation

/// The directory of crash reports and backtraces. A cause that lasts, as a full disk does, would fill it for as long.
enum CrashFolder {
    /// A crash leaves three files at most.
    static let fileLimit = 1500

    /// Deletes the oldest files of a directory that has more than `limit`, and a quarter more, so that this is seldom done.
    static func trim(_ directory: String, limit: Int = fileLimit) {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: directory), names.count > limit else { return }
        let files = names.map { name -> (path: String, written: Date) in
            let path = "\(directory)/\(name)"
            let attributes = try? manager.attributesOfItem(atPath: path)
            return (path, attributes?[.modificationDate] as? Date ?? .distantPast)
        }
        for file in files.sorted(by: { $0.written < $1.written }).dropLast(limit * 3 / 4) { try? manager.removeItem(atPath: file.path) }
    }
}
