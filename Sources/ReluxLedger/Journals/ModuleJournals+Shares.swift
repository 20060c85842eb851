package import Relux
import ReluxJournal
import Synchronization

extension ModuleJournals {
    /// Limits each journal so that all of the node's stay below its cap; a module without a share keeps what its retention says.
    ///
    /// - Returns: the modules that have to give; see ``trim(_:_:)``.
    package func limit(to shares: [ModuleID: Int]) -> [ModuleID] {
        writers.withLock { writers in
            var giving: [ModuleID] = []
            for module in writers.open.keys {
                writers.open[module]?.share = shares[module]
                guard shares[module] != nil else { continue }
                giving.append(module)
                // The next append is none that somebody may do in passing.
                writers.open[module]?.wantsLedger = true
            }
            return giving.sorted()
        }
    }

    package func trim(_ module: ModuleID, _ ledger: Ledger) {
        writers.withLock { writers in
            guard let open = writers.open[module] else { return }
            // Without room for the checkpoint the next one tries.
            guard let receipt = try? open.writer.append([], state: ledger.checkpoint()) else { return }
            writers.open[module]?.wantsLedger = receipt.isCheckpointDue
            guard receipt.hasState else { return }
            trim(open.writer, ledger, open.share)
        }
    }
}
