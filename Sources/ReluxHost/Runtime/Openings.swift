import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger

/// Opens the journals of this process's modules, with what earlier processes have left.
struct Openings {
    let run: RunDirectory
    let journals: ModuleJournals
    let environment: JournalEnvironment
    let sealer: ClusterSealer
    /// How far the journals have come before, as the broker says.
    private var known: [ModuleID: KnownLives] = [:]
    /// Which handlers ran in earlier processes of these modules, until their journals are open.
    private(set) var tables: [ModuleID: OpenTableFormat.Contents] = [:]
    /// Only one handler ran in all of them.
    private var wasAlone = false
    /// Journals of modules in standby, read so far.
    private(set) var followers: [ModuleID: LedgerFollower] = [:]

    init(run: RunDirectory, journals: ModuleJournals, environment: JournalEnvironment, sealer: ClusterSealer) {
        (self.run, self.journals, self.environment, self.sealer) = (run, journals, environment, sealer)
    }

    mutating func learn(_ lives: [ModuleID: KnownLives]) { known.merge(lives) { $1 } }

    mutating func forget(_ id: ModuleID) { known[id] = nil }

    /// Reads which handlers ran when the last process of these modules died. When the machine went down, no handler is to blame.
    ///
    /// - Parameter areTogether: false when other handlers may have run in that process.
    /// - Returns: a line for each table that cannot be read.
    mutating func readTables(of ids: [ModuleID], areTogether: Bool) -> [String] {
        var troubles: [String] = []
        for id in ids {
            do {
                let table = try OpenTable.contents(of: run.openTable(of: id.rawValue))
                tables[id] = table?.boot == environment.bootID.bytes ? table : nil
            } catch {
                troubles.append("\(id): \(error); nothing is known of the handlers that ran")
            }
        }
        wasAlone = areTogether && tables.values.reduce(0) { $0 + $1.open.count } == 1 && tables.values.allSatisfy { $0.unnoted == 0 }
        return troubles
    }

    /// Opens the module's journal, and makes a table for the handlers to come, which takes its place when the module is set up.
    ///
    /// - Returns: the same, and a line about its suspects where it has some.
    mutating func open(_ id: ModuleID, _ epoch: Epoch) throws -> (opening: ModuleOpening, suspicion: String?) {
        let opening = try ModuleOpening(
            of: id, epoch, in: run, journals: journals, environment: environment, known: known[id], following: followers[id],
            last: tables[id], wasAlone: wasAlone, sealer: sealer)
        followers[id] = nil
        let isInnocent = tables.removeValue(forKey: id)?.isInnocent == true
        let suspects = opening.recovery.suspects
        guard !suspects.isEmpty else { return (opening, nil) }
        let names = suspects.map(\.effect.description).joined(separator: ", ")
        return (opening, "\(id) \(isInnocent ? "ended for another reason with suspects" : "died while it handled") \(names); run again one at a time")
    }

    // MARK: Following journals

    /// Reads on what the owner of a module in standby has written, so that little is left when the owner gives it up. A journal that is not there
    /// yet, or cannot be read, is read when the module is served.
    mutating func follow(_ id: ModuleID) {
        do {
            if let follower = followers[id] { return try follower.follow() }
            followers[id] = try LedgerFollower(directory: run.journal(of: id.rawValue), module: id, environment: environment)
        } catch {
            followers[id] = nil
        }
    }

    mutating func stopFollowing(_ id: ModuleID) { followers[id] = nil }
}
