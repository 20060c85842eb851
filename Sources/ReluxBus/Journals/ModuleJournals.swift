package import Relux
package import ReluxJournal
import Synchronization

/// The journals of one process's modules, in files.
///
/// Design notes. A journal is opened by whoever sets its module up and written by the bus's sending thread; the lock is for that hand-over
/// and is never waited for long. A checkpoint is written when the journal says that the last one lies far back; then what everybody has
/// settled is trimmed.
package final class ModuleJournals: Journaling {
    private struct Open {
        var writer: JournalWriter
        var wantsLedger: Bool
    }
    // Writers are used under this lock only.
    private struct Writers: @unchecked Sendable {
        var open: [ModuleID: Open] = [:]
    }
    private let writers = Mutex(Writers())
    private let environment: JournalEnvironment
    private let retention: JournalRetention
    private let options: JournalOptions
    private let onTrouble: @Sendable (JournalRefusal) -> Void

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
    /// - Throws: `JournalError`; nothing is open then.
    package func open(_ module: ModuleID, at directory: String, epoch: Epoch) throws(JournalError) -> OpenedJournal {
        let writer = try JournalWriter(
            directory: directory, module: module, epoch: epoch, options: options, environment: environment)
        let ledger: Ledger
        do {
            ledger = try LedgerReader(directory: directory, module: module, environment: environment)
                .ledger(from: writer.recovery, epoch: epoch)
        } catch let error as JournalError {
            writer.close()
            throw error
        } catch {
            writer.close()
            throw JournalError(
                .damaged, file: directory, "a record cannot be read: \(error)",
                remedy: "start the build that wrote it, or run relux journal verify \(module)")
        }
        writers.withLock { $0.open[module] = Open(writer: writer, wantsLedger: true) }
        return OpenedJournal(ledger: ledger, recovery: writer.recovery)
    }

    package func wantsLedger(of module: ModuleID) -> Bool { writers.withLock { $0.open[module]?.wantsLedger ?? false } }

    package var isQuick: Bool { writers.withLock { $0.open.values.allSatisfy { !$0.wantsLedger } } }

    package func append(_ records: inout [BusCore.Unwritten], ledgers: [ModuleID: Ledger]) throws(JournalRefusal) {
        for part in JournalPart.parts(of: records) {
            let module = part.module
            let ledger = part.isLast ? ledgers[module] : nil
            let failure: JournalRefusal? = writers.withLock { writers in
                guard let open = writers.open[module] else { return nil }
                do throws(JournalRefusal) {
                    let runs = try Self.runs(of: part.records, module)
                    do throws(JournalError) {
                        let receipt = try open.writer.append(runs, state: ledger?.checkpoint())
                        if part.isLast { writers.open[module]?.wantsLedger = receipt.isCheckpointDue }
                        if let ledger { trim(open.writer, ledger) }
                    } catch {
                        throw JournalRefusal(
                            module: module, description: error.description,
                            isTemporary: error.code == .full || error.code == .denied)
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let failure {
                onTrouble(failure)
                throw failure
            }
            part.remove(from: &records)
        }
    }

    private func trim(_ writer: JournalWriter, _ ledger: Ledger) {
        do throws(JournalError) {
            try writer.trim(needed: ledger.needed, retention: retention)
        } catch {
            onTrouble(JournalRefusal(module: writer.module, description: error.description, isTemporary: true))
        }
    }

    package func close(_ module: ModuleID) {
        writers.withLock { writers in
            guard let open = writers.open.removeValue(forKey: module) else { return }
            // Without the seal the next one recovers, which is slower and as safe.
            try? open.writer.seal()
            open.writer.close()
        }
    }

    /// Gives every lock back; what was appended stays.
    package func closeAll() {
        for module in writers.withLock({ Array($0.open.keys) }) { close(module) }
    }

    /// One run per topic and frame size, in the order of ``JournalOrder``.
    private static func runs(of records: [BusCore.Unwritten], _ module: ModuleID) throws(JournalRefusal) -> [JournalRun] {
        var builders: [(topic: Topic, builder: JournalRunBuilder)] = []
        var places: [Topic: Int] = [:]
        var full: [Topic: [JournalRun]] = [:]
        for entry in records {
            let bytes: [UInt8]
            do throws(WireError) {
                bytes = try entry.record.encoded()
            } catch {
                throw JournalRefusal(module: module, description: "a record of \(entry.topic): \(error)", isTemporary: false)
            }
            let place = places[entry.topic] ?? builders.count
            if place == builders.count {
                builders.append((entry.topic, JournalRunBuilder(topic: entry.topic)))
                places[entry.topic] = place
            }
            let run = builders[place].builder.append(
                encoded: bytes[...], sequence: entry.record.ownSequence, position: entry.record.ownPosition)
            if let run { full[entry.topic, default: []].append(run) }
        }
        var runs: [JournalRun] = []
        for place in builders.indices.sorted(by: {
            (JournalOrder(builders[$0].topic), $0) < (JournalOrder(builders[$1].topic), $1)
        }) {
            runs += full[builders[place].topic] ?? []
            if let last = builders[place].builder.finish() { runs.append(last) }
        }
        return runs
    }
}

/// What opening a module's journal gave.
package struct OpenedJournal: Sendable {
    package var ledger: Ledger
    package var recovery: JournalRecovery
}

extension WireRecord {
    /// nil for records that have no place of their own in a stream.
    fileprivate var ownSequence: UInt64? {
        switch self {
        case .effect(let record): record.sequence
        case .settled(let record): record.sequence
        default: nil
        }
    }

    fileprivate var ownPosition: UInt64? { if case .effect(let record) = self { record.position } else { nil } }
}
