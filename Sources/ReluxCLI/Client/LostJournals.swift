import Foundation
import ReluxBroker
import ReluxBus
import ReluxJournal
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
    /// There is no journal at all where the registry knows of some.
    let areAllGone: Bool
    private let folder: String

    /// - Parameter modules: those that are meant; nil for all that the registry knows of.
    init(_ run: RunDirectory, of modules: [ModuleID]? = nil) throws(CLIError) {
        folder = run.journals
        let known: [ModuleID: KnownLives]
        do throws(RegistryFileError) { known = try StoppedCluster(run: run).lives } catch {
            throw CLIError(.failed, "cluster.registry", "\(error)", hint: "how far the journals had come is in \(run.registry)")
        }
        let found = try CLIError.journal { () throws(JournalError) in
            // A journal that cannot be read is reported where it is opened.
            try JournalListing.epochs(in: run.journals, environment: try .live()) { _, _ in }
        }
        let meant = modules.map { Set($0 + ["Cluster"]) }
        losses = known.sorted { $0.key < $1.key }.compactMap { module, lives in
            guard meant?.contains(module) != false, let last = lives.ends.last?.epoch else { return nil }
            guard let epoch = found[module] else {
                return Self.isThere(run.journal(of: module.rawValue)) ? nil : Loss(module: module, known: last, found: nil)
            }
            return epoch < last ? Loss(module: module, known: last, found: epoch) : nil
        }
        areAllGone = !losses.isEmpty && known.keys.allSatisfy { !Self.isThere(run.journal(of: $0.rawValue)) }
    }

    /// Whether there is anything that could not be read.
    private static func isThere(_ folder: String) -> Bool { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty == false }

    /// A line for each.
    var lines: [String] {
        losses.map { loss in
            let what = loss.found.map { "is an older copy: it ends with life \($0), and the registry knows of life \(loss.known)" }
                ?? "is gone: the registry knows of its life \(loss.known)"
            return "the journal of \(loss.module) in \(folder) \(what); what it lacks is lost, unless the right one is put back before the cluster starts"
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
