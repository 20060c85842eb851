import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxRegistry

/// The journals of the node as the courier reads them. Owned by its thread.
///
/// Design notes. `@unchecked Sendable`: made on one thread, handed to the courier's before that one starts, used there only.
final class JournalShelf: CourierJournals, @unchecked Sendable {
    private struct Followed {
        var follower: LedgerFollower
        var usedAt: ContinuousClock.Instant
        /// So far it was brought to the disk.
        var synced: JournalPlace?
    }
    /// Ledgers that are kept at most, and for how long after they were last asked for, in milliseconds.
    static let limit = 32
    static let patience = 30_000
    static let tidyInterval = Duration.seconds(600)
    /// A journal that cannot be read is tried again after this.
    static let rereadInterval = Duration.seconds(5)

    private let run: RunDirectory
    private let environment: JournalEnvironment
    private let clock = ContinuousClock()
    private var followed: [ModuleID: Followed] = [:]
    private let limits: JournalLimits
    private var tidiedAt = ContinuousClock.now
    /// Since when a journal has been found to be nobody's, by this broker: it may have been off for long.
    private var retiredAt: [ModuleID: ContinuousClock.Instant] = [:]
    private var countedAt: ContinuousClock.Instant?
    private var lastShares: [ModuleID: Int] = [:]
    /// Since when a journal cannot be read: it is not tried again for every question.
    private var unreadSince: [ModuleID: ContinuousClock.Instant] = [:]
    /// Each is said once, until it is over.
    private var troubles: [Task: [ModuleID: String]] = [:]
    private let say: (String) -> Void

    /// What fails and is over independently of the others.
    private enum Task: String { case read = "read", sync = "bring to the disk", count = "count" }

    /// - Parameter say: told of troubles, a line each.
    init(
        run: RunDirectory, limits: JournalLimits, environment: JournalEnvironment,
        say: @escaping (String) -> Void = { StandardError.write("relux-broker: \($0)") }
    ) {
        self.say = say
        self.limits = limits
        self.run = run
        self.environment = environment
    }

    /// In doubt there is one.
    func hasJournal(_ module: ModuleID) -> Bool {
        do { return try environment.files.list(run.journal(of: module.rawValue)) != nil } catch { return true }
    }

    var named: [ModuleID] {
        let names = (try? environment.files.list(run.journals)) ?? nil
        return (names ?? []).compactMap(ModuleID.init(rawValue:))
    }

    /// nil when there is no journal, or none that can be read.
    func ledger(of module: ModuleID) -> CourierLedger? {
        if let since = unreadSince[module], clock.now - since < Self.rereadInterval { return nil }
        unreadSince[module] = nil
        let follower: LedgerFollower
        do {
            follower = try current(module)
        } catch {
            followed[module] = nil
            // Gone with all that was wrong with it.
            guard (error as? JournalError)?.code != .missing else {
                for task in troubles.keys { troubles[task]?[module] = nil }
                return nil
            }
            complain(of: module, .read, error)
            unreadSince[module] = clock.now
            return nil
        }
        followed[module] = Followed(follower: follower, usedAt: clock.now, synced: followed[module]?.synced)
        if followed.count > Self.limit, let oldest = followed.min(by: { $0.value.usedAt < $1.value.usedAt })?.key { followed[oldest] = nil }
        troubles[.read]?[module] = nil
        return CourierLedger(ledger: follower.ledger, epoch: follower.epoch)
    }

    func isUnreadable(_ module: ModuleID) -> Bool { unreadSince[module] != nil }

    /// Its process may have died before what it has promised to keep was on the disk: who hears of it here may rely on it.
    func isOnDisk(_ module: ModuleID) -> Bool {
        guard let known = followed[module] else { return false }
        if known.synced == known.follower.place { return true }
        do throws(JournalError) {
            try known.follower.sync()
        } catch {
            complain(of: module, .sync, error)
            return false
        }
        troubles[.sync]?[module] = nil
        followed[module]?.synced = known.follower.place
        return true
    }

    private func complain(of module: ModuleID, _ task: Task, _ error: any Error) {
        let error = "\(error)"
        guard troubles[task, default: [:]].updateValue(error, forKey: module) != error else { return }
        say("the courier cannot \(task.rawValue) the journal of \(module): \(error)")
    }

    private func current(_ module: ModuleID) throws -> LedgerFollower {
        if let known = followed[module]?.follower {
            do {
                try known.follow()
                return known
            } catch let error as JournalError where error.code == .removed || error.code == .missing {
                // Trimmed under the reader, or begun anew.
                followed[module] = nil
            }
        }
        return try LedgerFollower(directory: run.journal(of: module.rawValue), module: module, environment: environment)
    }

    /// What each journal may keep so that all together stay below the node's cap; nil when that is as it was, or has just been looked at.
    func shares() -> [ModuleID: Int]? {
        let now = clock.now
        if let countedAt, now - countedAt < .milliseconds(Self.patience) { return nil }
        countedAt = now
        var unread: Set<ModuleID> = []
        let all = try? JournalListing.all(in: run.journals, environment: environment) { [self] module, error in
            unread.insert(module)
            complain(of: module, .count, error)
        }
        guard let all else { return nil }
        troubles[.count] = troubles[.count]?.filter { unread.contains($0.key) }
        let journals = Dictionary(all.map { ($0.module, $0.segments) }, uniquingKeysWith: { first, _ in first })
        let new = JournalRetention.nodeShares(of: journals, cap: limits.nodeCap)
        defer { lastShares = new }
        // A journal that has to give may have grown since, with the same share.
        return new.isEmpty && lastShares.isEmpty ? nil : new
    }

    struct Tidied: Equatable {
        /// Modules whose journals went.
        var removed: [ModuleID] = []
        /// Modules whose journals go as soon as the registry does not miss them.
        var missed: [ModuleID] = []
    }

    /// Lets go what nobody has asked for lately, and removes retired journals that everybody has and whose time is over.
    ///
    /// - Parameters:
    ///   - declared: modules that the registry knows, members or not: a module that is refused today may be loaded tomorrow.
    ///   - remembered: modules of which the registry knows how far their journals have come. It forgets that first: else a broker that dies between
    ///     the two would leave a loss that is none.
    func tidy(
        members: [ModuleID: ClusterPicture.Member], declared: Set<ModuleID>, remembered: Set<ModuleID> = [], now: ContinuousClock.Instant = .now
    ) -> Tidied {
        followed = followed.filter { now - $0.value.usedAt < .milliseconds(Self.patience) }
        guard now - tidiedAt >= Self.tidyInterval else { return Tidied() }
        tidiedAt = now
        try? RetiredJournal.sweep(run.journals, environment: environment)
        let retired = named.filter { members[$0] == nil && !declared.contains($0) }.sorted()
        retiredAt = Dictionary(uniqueKeysWithValues: retired.map { ($0, retiredAt[$0] ?? now) })
        var tidied = Tidied()
        tidied.removed = retired.filter { module in
            let isPressed = lastShares[module] != nil
            let age = isPressed ? Self.tidyInterval : .milliseconds(Int64(clamping: limits.retention.ageMilliseconds))
            guard now - (retiredAt[module] ?? now) >= age, let known = ledger(of: module), isServed(known.ledger, members) else { return false }
            if remembered.contains(module) {
                tidied.missed.append(module)
                return false
            }
            followed[module] = nil
            do throws(JournalError) {
                let isGone = try RetiredJournal.remove(
                    directory: run.journal(of: module.rawValue), module: module,
                    unwrittenFor: isPressed ? 0 : limits.retention.ageMilliseconds, environment: environment)
                if isGone { say("the journal of \(module) is removed: it is no module of this cluster any more, and everybody has what it said") }
                return isGone
            } catch {
                if error.code != .locked { StandardError.write("relux-broker: the retired journal of \(module) stays: \(error)") }
                return false
            }
        }
        // Somebody else has removed it, and not the whole folder, which may come back.
        let gone = ((try? environment.files.list(run.journals)) ?? nil) == nil ? [] : remembered.subtracting(declared).filter { members[$0] == nil && !hasJournal($0) }
        for module in gone.sorted() { say("the journal of \(module), which was unloaded, is gone: what it had said and nobody had heard is lost") }
        tidied.missed = (tidied.missed + gone).sorted()
        // The answer is there at the look after the next.
        if !tidied.missed.isEmpty { tidiedAt = now - Self.tidyInterval + .milliseconds(Self.patience) }
        return tidied
    }

    private func isServed(_ ledger: Ledger, _ members: [ModuleID: ClusterPicture.Member]) -> Bool {
        ledger.isServed(members: members) { sequence, stream, recipient in
            self.ledger(of: recipient)?.ledger.isDone(sequence, of: stream) ?? false
        }
    }
}
