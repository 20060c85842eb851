import Foundation

/// What Foundation says of files, in the system's words.
package enum FileReason {
    /// `Permission denied`, `No space left on device`; what is behind the error if something is.
    package static func of(_ error: any Error) -> String {
        if let error = error as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
        let known = error as NSError
        if known.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(truncatingIfNeeded: known.code))) }
        if let cause = known.userInfo[NSUnderlyingErrorKey] as? any Error { return of(cause) }
        return error is CocoaError || known.domain == NSCocoaErrorDomain ? error.localizedDescription : "\(error)"
    }
}
