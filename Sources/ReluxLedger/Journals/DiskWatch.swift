package import ReluxJournal
import Synchronization

/// How much room a disk has beside its reserve.
package struct DiskRoom: Sendable, Hashable {
    package var directory: String
    /// Bytes.
    package var free: Int
    package var reserve: Int

    package init(directory: String, free: Int, reserve: Int) {
        self.directory = directory
        self.free = free
        self.reserve = reserve
    }

    package var isShort: Bool { free < reserve }

    /// The lack of room that holds sources up, with the remedy.
    package var trouble: String? {
        guard isShort else { return nil }
        return
            "\(directory): \(ByteText.of(free)) are free, the reserve is \(ByteText.of(reserve)): what no handler says has to wait, and is refused"
            + " at its deadline; free room on this disk, lower journal.retention-mebibytes or journal.node-mebibytes, or lower"
            + " journal.reserve-mebibytes"
    }
}

/// Looks every now and then whether the disk of the journals has more room than the reserve.
///
/// ``look(now:)`` asks the system, which may take its time: it is for a thread that may wait, not for the cooperative pool.
package final class DiskWatch: Sendable {
    private struct State {
        var room: DiskRoom
        var lookedAt: Duration?
    }
    package static let interval = Duration.milliseconds(200)
    private let state: Mutex<State>
    private let files: any FileSystem

    package init(directory: String, reserve: Int, environment: JournalEnvironment) {
        files = environment.files
        state = Mutex(State(room: DiskRoom(directory: directory, free: .max, reserve: reserve)))
    }

    package var room: DiskRoom { state.withLock { $0.room } }

    /// Whether the room has become short, or is no longer; nil when nothing has changed or the last look is fresh.
    ///
    /// A disk that cannot be asked counts as roomy: what does not fit is found out by writing it.
    package func look(now: Duration) -> Bool? {
        let directory: String? = state.withLock { state in
            if let last = state.lookedAt, now - last < Self.interval { return nil }
            state.lookedAt = now
            return state.room.reserve > 0 ? state.room.directory : nil
        }
        guard let directory else { return nil }
        let free = (try? files.room(at: directory)) ?? .max
        return state.withLock { state in
            let wasShort = state.room.isShort
            state.room.free = free
            return state.room.isShort == wasShort ? nil : state.room.isShort
        }
    }
}

/// Sizes as people read them.
package enum ByteText {
    package static func of(_ bytes: Int) -> String {
        let (kibi, mebi) = (1024, 1024 * 1024)
        if bytes < mebi { return "\(bytes) bytes" }
        let tenths = bytes / (mebi / 10)
        if tenths < 10 * kibi { return "\(tenths / 10).\(tenths % 10) MiB" }
        let inGibi = bytes / mebi * 10 / kibi
        return "\(inGibi / 10).\(inGibi % 10) GiB"
    }
}
