import Foundation
import Glibc

/// Foundation's errors about files, in the system's words.
package enum FileReason {
    /// Why a file that is there cannot be read as one; nil when it is not there at all.
    package static func unread(_ path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? nil : String(cString: strerror(errno)) }
        guard stat(path, &status) == 0 else { return String(cString: strerror(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return "it is no regular file" }
        return access(path, R_OK) == 0 ? "it cannot be read" : String(cString: strerror(errno))
    }

    /// `Permission denied`, `No space left on device`; what is behind the error if something is.
    package static func of(_ error: any Error) -> String {
        if let error = error as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
        let known = error as NSError
        if known.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(truncatingIfNeeded: known.code))) }
        if let cause = known.userInfo[NSUnderlyingErrorKey] as? any Error { return of(cause) }
        return error is CocoaError || known.domain == NSCocoaErrorDomain ? error.localizedDescription : "\(error)"
    }
}
