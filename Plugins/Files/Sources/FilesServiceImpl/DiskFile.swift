internal import FoundationEssentials
internal import Glibc

/// Files as the system sees them: one that is not there is told from one that cannot be seen or read.
enum DiskFile {
    /// - Throws: a POSIX error when nobody can know.
    static func isThere(_ path: String) throws -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return false
    }

    /// Nil when it is not there. Whoever opened a pipe would wait for somebody at its other end.
    static func read(_ path: String) throws -> Data? {
        guard try isThere(path) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(description: "it is no regular file") }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// `Permission denied`, `No space left on device`; for JSON the place, and what was wrong there.
    static func reason(of error: any Error) -> String {
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

    private static func at(_ context: DecodingError.Context, _ what: String) -> String {
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return (place.isEmpty ? "" : "at '\(place)': ") + what.prefix { $0 != "\n" }
    }
}
