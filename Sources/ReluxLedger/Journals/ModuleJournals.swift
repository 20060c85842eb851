package import Relux
package import ReluxControl
package import ReluxJournal
import ReluxSystem
import Synchronization

/// The journals of one process's modules, in files.
///
/// Design notes. A journal is opened by whoever sets its module up and written by the bus's sending thread; the lock is for that hand-over
/// and is never waited for long. A checkpoint is written when the journal says that the last one lies far back; then what everybody has
/// settled is trimmed.
package final class ModuleJournals: Journaling {
    struct Open {
        var writer: JournalWriter
        var wantsLedger: Bool
        /// Bytes that it may keep of the node's; nil when that is no matter.
        var share: Int?
        /// Said once.
        var trouble: String?
    }
    // Writers are used under this lock only.
    struct Writers: @unchecked Sendable {
        var open: [ModuleID: Open] = [:]
        /// The ends of journals that were sealed and not opened again, until somebody takes them.
        var ends: [ModuleID: JournalEnd] = [:]
    }
    let writers = Mutex(Writers())
    private let environment: JournalEnvironment
    let retention: JournalRetention
    private let options: JournalOptions
    let onTrouble: @Sendable (JournalRefusal) -> Void

    /// - Parameter onTrouble: told what was refused or could not be trimmed; from the sending thread.
    package init(
        environment: JournalEnvironment, options: JournalOptions = JournalOptions(), retention: JournalRetention = JournalRetention(),
        onTrouble: @escaping @Sendable (JournalRefusal) -> Void = { _ in }
    ) {
        self.environment = environment
        self.options = options
        self.retention = retention
        self.onTrouble = onTrouble
    }

    /// Opens the module's journal for this life and reads what it says of the earlier ones.
    ///
    /// - Parameters:
    ///   - known: how far it has come, as the broker says; what it lacks of that is written down in it as lost.
    ///   - follower: has read most of it already; then only the rest is read.
    /// - Throws: `JournalError`; nothing is open then.
    package func open(
        _ module: ModuleID, at directory: String, epoch: Epoch, known: KnownLives? = nil, following follower: LedgerFollower? = nil
    ) throws(JournalError) -> OpenedJournal {
        let writer = try JournalWriter(
            directory: directory, module: module, epoch: epoch, options: options, environment: environment)
        var ledger = if let ledger = follower?.ledger(of: writer.recovery, epoch: epoch) { ledger } else { try read(directory, writer) }
        if writer.recovery.wasSealed { ledger.told = ledger.forgotten }
        writers.withLock { writers in
            writers.open[module] = Open(writer: writer, wantsLedger: !writer.recovery.isNew)
            writers.ends[module] = nil
        }
        if let missing = known?.missing(behind: writer.recovery.end, before: epoch) { noteMissing(missing, &ledger) }
        return OpenedJournal(ledger: ledger, recovery: writer.recovery)
    }

    /// Writes the range down as lost. A note that finds no room now goes with the next checkpoint, or the next life finds the range missing again.
    private func noteMissing(_ range: ClosedRange<UInt64>, _ ledger: inout Ledger) {
        let gone = GoneRecord(topic: .lives(of: ledger.module), range: range)
        ledger.apply(GoneRecord.topic, .gone(gone))
        guard var parts = try? JournalPart.parts(of: ledger.module, [(GoneRecord.topic, .gone(gone))]) else { return }
        try? append(&parts, ledgers: [:])
    }

    private func read(_ directory: String, _ writer: JournalWriter) throws(JournalError) -> Ledger {
        let module = writer.module
        do {
            return try LedgerReader(directory: directory, module: module, environment: environment)
                .ledger(from: writer.recovery, epoch: writer.epoch)
        } catch let error as JournalError {
            writer.close()
            throw error
        } catch {
            writer.close()
            throw JournalError(
                .damaged, file: directory, "a record cannot be read: \(error)",
                remedy: "start the build that wrote it, or run relux journal verify \(module)")
        }
    }

    package func wantsLedger(of module: ModuleID) -> Bool { writers.withLock { $0.open[module]?.wantsLedger ?? false } }

    package var isQuick: Bool { writers.withLock { $0.open.values.allSatisfy { !$0.wantsLedger } } }

    package func append(
        _ parts: inout [JournalPart], ledgers: [ModuleID: Ledger], pressing: Set<ModuleID>, written: inout [SaidRun]
    ) throws(JournalRefusal) {
        var count = 0
        defer { parts.removeFirst(count) }
        for part in parts {
            let module = part.module
            // A part may not be there without the records of others that it follows from.
            if !pressing.isEmpty { for other in part.foundations.intersection(pressing).sorted() { try sync(other) } }
            let ledger = part.isLast ? ledgers[module] : nil
            let failure: JournalRefusal? = writers.withLock { writers in
                guard let open = writers.open[module] else { return nil }
                do throws(JournalRefusal) {
                    do throws(JournalError) {
                        let receipt = try open.writer.append(part.runs.map(\.run), state: ledger?.checkpoint())
                        if part.isLast, open.wantsLedger != receipt.isCheckpointDue { writers.open[module]?.wantsLedger = receipt.isCheckpointDue }
                        if let ledger, receipt.hasState { trim(open.writer, ledger, open.share) }
                        if open.trouble != nil { writers.open[module]?.trouble = nil }
                    } catch {
                        throw JournalRefusal(
                            module: module, description: error.description, isTemporary: error.mayPass)
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let failure {
                let isNew = writers.withLock { writers in
                    let last = writers.open[module]?.trouble
                    writers.open[module]?.trouble = failure.description
                    return last != failure.description
                }
                if isNew { onTrouble(failure) }
                throw failure
            }
            count += 1
            for run in part.runs where run.reach != .nobody { written.append(run) }
        }
    }

    /// Only with the ledger that recovery would begin with: an older one names records that this one does not wait for any more, and
    /// counts them as ended only when it finds them.
    func trim(_ writer: JournalWriter, _ ledger: Ledger, _ share: Int?) {
        do throws(JournalError) {
            try writer.trim(needed: ledger.needed, retention: retention.limited(to: share))
        } catch {
            onTrouble(JournalRefusal(module: writer.module, description: error.description, isTemporary: true))
        }
    }

    package func close(_ module: ModuleID) {
        writers.withLock { writers in
            guard let open = writers.open.removeValue(forKey: module) else { return }
            // Without the seal the next writer recovers, which is slower and as safe.
            if (try? open.writer.seal()) != nil { writers.ends[module] = open.writer.end }
            open.writer.close()
        }
    }

    /// Gives the lock of a journal back whose module could not be set up: unsealed, for what its last life left open is open still, and the
    /// next attempt may come under the same epoch.
    package func abandon(_ module: ModuleID) {
        writers.withLock { $0.open.removeValue(forKey: module) }?.writer.close()
    }

    package func prepareHandOver(_ module: ModuleID, _ ledger: Ledger) {
        let flush: JournalFlush? = writers.withLock { writers in
            guard let writer = writers.open[module]?.writer else { return nil }
            _ = try? writer.append([], state: ledger.checkpoint())
            return writer.flush
        }
        guard let flush else { return }
        // A thread of its own: the sending one must not wait for the disk.
        _ = try? BlockingThread(name: "relux-flush") { [self] in
            do throws(JournalFlush.Failure) {
                try flush.run()
                // Each life begins a segment: where one follows the other quickly nothing else would take any away.
                writers.withLock { writers in
                    if let open = writers.open[module] { trim(open.writer, ledger, open.share) }
                }
            } catch {
                // A sync that could not be begun is left to the writer's own sync.
                guard error.isFailedSync else { return }
                let isTold = writers.withLock { writers in
                    writers.open[module]?.writer.flushFailed(error.error)
                    return writers.open[module] != nil
                }
                if !isTold { flush.noteFailure() }
            }
        }
    }

    package func handOver(_ module: ModuleID, _ ledger: Ledger) {
        writers.withLock { writers in
            guard let writer = writers.open[module]?.writer, writer.bytesBehindState > Self.restLimit else { return }
            // Without the checkpoint the next writer reads from an older one.
            _ = try? writer.append([], state: ledger.checkpoint())
        }
        close(module)
    }

    /// Reading this many bytes behind the last checkpoint takes less time than another checkpoint.
    private static let restLimit = 64 << 10

    /// Takes the ends of the journals that were sealed since the last call.
    package func takeEnds() -> [ModuleID: JournalEnd] {
        writers.withLock { writers in
            defer { writers.ends = [:] }
            return writers.ends
        }
    }

    /// Looks whether all that is written here still lies where the next life looks for it.
    ///
    /// - Throws: `removed`: this process must not go on.
    package func checkPlaces() throws(JournalError) {
        try writers.withLock { (writers) throws(JournalError) in
            for open in writers.open.values { try open.writer.checkPlace() }
        }
    }

    /// Journals that were taken away, or exchanged, under this process, and why that is said.
    package func taken() -> [ModuleID: JournalError] {
        writers.withLock { writers in
            writers.open.compactMapValues { open in
                do throws(JournalError) { try open.writer.checkPlace() } catch where error.code == .removed { return error } catch { return nil }
                return nil
            }
        }
    }

    /// Gives every lock back; what was appended stays.
    package func closeAll() {
        for module in writers.withLock({ Array($0.open.keys) }) { close(module) }
    }
}

/// The result of opening a module's journal.
package struct OpenedJournal: Sendable {
    package var ledger: Ledger
    package var recovery: JournalRecovery
}
