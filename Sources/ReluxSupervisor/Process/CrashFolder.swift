import Foundation

/// The directory of crash reports and backtraces. A cause that lasts, as a full disk does, would fill it for as long.
enum CrashFolder {
    /// A crash leaves three files at most.
    static let fileLimit = 1500

    /// Deletes files of a directory that has more than `limit`, and a quarter more, so that this is seldom done: the oldest of whoever has most
    /// of them, for the few of others may say what came first. What was written in time to come is the oldest: the clock was set back since, and what has
    /// just been written must not be the first to go.
    static func trim(_ directory: String, limit: Int = fileLimit, now: Date = Date()) {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: directory), names.count > limit else { return }
        let files = names.compactMap { name -> (path: String, owner: String, written: Date)? in
            let path = "\(directory)/\(name)"
            guard let attributes = try? manager.attributesOfItem(atPath: path), attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
            let written = attributes[.modificationDate] as? Date ?? .distantPast
            // A file may be newer than the moment at which this began.
            return (path, owner(of: name), written > now + 60 ? .distantPast : written)
        }
        var owners = Dictionary(grouping: files.sorted { $0.written > $1.written }, by: \.owner)
        var left = files.count
        while left > limit * 3 / 4, let most = owners.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.key,
            let oldest = owners[most]?.popLast()
        {
            try? manager.removeItem(atPath: oldest.path)
            left -= 1
        }
    }

    /// The part of the name before the numbers of the process and of its time.
    private static func owner(of name: String) -> String {
        var parts = name.split(separator: "-", omittingEmptySubsequences: false)
        while parts.count > 1, parts.last?.first?.isNumber == true { parts.removeLast() }
        return parts.joined(separator: "-")
    }
}
