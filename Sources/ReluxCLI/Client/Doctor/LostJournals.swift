import Foundation
import ReluxControl
import ReluxJournal
import ReluxRegistry
import ReluxWire

/// Journals of a cluster that does not run which have less than its registry knows of: they are gone, or older copies of them came back.
struct LostJournals {
    struct Loss {
        let module: ModuleID
        /// The last life that the registry knows of.
        let known: Epoch
        /// The last one that the journal has; nil when there is no journal.
        let found: Epoch?
    }

    let losses: [Loss]
    /// Journals that are gone of modules that were unloaded: whoever took one away may have meant it.
    let formerLosses: [Loss]
    /// Journals that have come further than the registry knows, which is an older copy then.
    private let later: [(module: ModuleID, found: Epoch, known: Epoch)]
    /// There is no journal at all where the registry knows of some.
    let areAllGone: Bool
    private let folder: String

    /// - Parameter modules: those that are meant; nil for all that the registry knows of.
    init(_ run: RunDirectory, of modules: [ModuleID]? = nil) throws(CLIError) {
        folder = run.journals
        let cluster: StoppedCluster
        do throws(RegistryFileError) { cluster = try StoppedCluster(run: run) } catch {
            throw CLIError(.failed, "cluster.registry", "\(error)", hint: "how far the journals had come is in \(run.registry)")
        }
        // A journal that cannot be read is reported where it is opened.
        let found = try CLIError.journal { () throws(JournalError) in
            try JournalListing.epochs(in: run.journals, environment: try .live()) { _, _ in }
        }
        var written: Set<ModuleID> = []
        let listed = try CLIError.journal { () throws(JournalError) in
            try JournalListing.all(in: run.journals, environment: try .live()) { module, _ in written.insert(module) }
        }
        for journal in listed where !journal.segments.isEmpty || journal.quarantined > 0 { written.insert(journal.module) }
        let meant = modules.map { Set($0 + ["Cluster"]) }
        let known = cluster.lives
        let all: [Loss] = known.sorted { $0.key < $1.key }.compactMap { module, lives in
            guard meant?.contains(module) != false, let last = lives.ends.last?.epoch else { return nil }
            // A life that wrote nothing leaves a lock file and no segment.
            let isGone = !written.contains(module) && (found[module] == nil || lives.ends.contains { $0.batch > 0 })
            if isGone { return Loss(module: module, known: last, found: nil) }
            return found[module].flatMap { $0 < last ? Loss(module: module, known: last, found: $0) : nil }
        }
        // An older copy is nobody's wish.
        let former = all.filter { modules == nil && $0.found == nil && !cluster.declares($0.module) }
        let names = Set(former.map(\.module))
        (losses, formerLosses) = (all.filter { !names.contains($0.module) }, former)
        let isKnown = !RegistryFile(path: run.registry).isMissing
        later = !isKnown ? [] : found.sorted { $0.key < $1.key }.compactMap { module, epoch in
            cluster.epoch(of: module).flatMap { $0 < epoch ? (module, epoch, $0) : nil }
        }
        areAllGone = !losses.isEmpty && known.keys.allSatisfy { meant?.contains($0) == false || !written.contains($0) }
    }

    /// A line for each.
    var lines: [String] {
        losses.map { loss in
            let what = loss.found.map { "is an older copy: it ends with life \($0), and the registry knows of life \(loss.known)" }
                ?? "is gone: the registry knows of its life \(loss.known)"
            return "the journal of \(loss.module) in \(folder) \(what); what it lacks is lost, unless the right one is put back before the cluster starts"
        }
    }

    /// A line for each journal that has come further than the registry.
    var laterLines: [String] {
        later.map { later in
            "the registry is an older copy: it knows life \(later.known) of \(later.module), whose journal in \(folder) has come to life \(later.found); what was "
                + "loaded, moved or unloaded since is forgotten, unless the right one is put back before the cluster starts"
        }
    }

    /// A line for each of ``formerLosses``.
    var formerLines: [String] {
        formerLosses.map { loss in
            "\(loss.module) was unloaded, and its journal in \(folder) is gone: what it had said and nobody had heard is lost"
        }
    }

    /// - Throws: when no journal is left, and nobody has said that they are to begin anew.
    func refuse() throws(CLIError) {
        guard areAllGone else { return }
        throw CLIError(
            .failed, "cluster.journals",
            "the journals in \(folder) are gone, and the registry knows of those of \(losses.map(\.module.rawValue).joined(separator: ", ")): "
                + "what was accepted, and what the modules keep, is not known without them",
            hint: "bring the folder back; or begin with empty journals, and lose all that was in them: relux up --accept-loss")
    }
}
