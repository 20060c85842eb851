import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger

/// Troubles that keep a module from being set up now and may pass: the disk is full or cannot be written, or a predecessor still writes.
enum PassingTrouble {
    static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case let error as JournalError: error.mayPass || error.code == .locked
        case let error as JournalRefusal: error.isTemporary
        case let error as OpenTableError: error.mayPass
        case let error as RunDirectoryError: error.mayPass
        default: false
        }
    }

    static func text(of error: any Error) -> String {
        (error as? JournalRefusal)?.description ?? "\(error)" + (error is OpenTableError ? "; free room on this disk, or let this user write there" : "")
    }
}
