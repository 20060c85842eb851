public import FoundationEssentials
internal import Glibc

/// Files as the system sees them: a file that is not there is told from one that cannot be seen or read.
public enum DiskFile {
    /// - Throws: a POSIX error when nobody can know.
    public static func isThere(_ path: String) throws -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw failure }
        return false
    }

    /// Nil when the file is not there. Anything but a regular file is refused: a pipe would be waited at for ever.
    public static func read(_ path: String) throws -> Data? {
        guard try isThere(path) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(description: "it is no regular file") }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Writes the whole file beside its place and renames it, so that a reader finds the old one or the new one. Makes its folder, for this user alone.
    public static func write(_ data: Data, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try data.write(to: url, options: .atomic)
    }

    /// Removes the file, or the folder with all in it. False when nothing is there.
    @discardableResult
    public static func remove(_ path: String) throws -> Bool {
        guard try isThere(path) else { return false }
        try FileManager.default.removeItem(atPath: path)
        return true
    }

    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// The cause in the system's words: `Permission denied`, `No space left on device`; for JSON the place, and what is wrong there.
    public static func reason(of error: any Error) -> String {
        switch error {
        case let error as POSIXError: return String(cString: strerror(error.code.rawValue))
        case DecodingError.keyNotFound(let key, let context): return at(context, "there is no '\(key.stringValue)'")
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            return at(context, context.debugDescription)
        case let error as CocoaError:
            if let cause = error.userInfo["NSUnderlyingError"] as? any Error { return reason(of: cause) }
            switch error.code {
            case .fileNoSuchFile, .fileReadNoSuchFile: return String(cString: strerror(ENOENT))
            case .fileReadNoPermission, .fileWriteNoPermission: return String(cString: strerror(EACCES))
            case .fileWriteOutOfSpace: return String(cString: strerror(ENOSPC))
            case .fileWriteVolumeReadOnly: return String(cString: strerror(EROFS))
            case .fileWriteFileExists: return String(cString: strerror(EEXIST))
            default: return "the file system says no more (code \(error.code.rawValue))"
            }
        default: return "\(error)"
        }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    private static func at(_ context: DecodingError.Context, _ what: String) -> String {
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return (place.isEmpty ? "" : "at '\(place)': ") + what.prefix { $0 != "\n" }
    }
}
