import Foundation
import ReluxControl
import ReluxJournal
import ReluxOutput
import ReluxPlugin
import ReluxRegistry
import ReluxSupervisor
import ReluxWire

/// The outcome of a start that has not happened yet, from the cluster's file, its registry, its journals and its modules' files.
struct StartPlan {
    struct Wishes {
        var isReset = false
        var isPacked = false
        var acceptsLoss = false
    }

    let members: MembershipPlan
    /// Modules that have journals while the registry is gone; their membership is dropped.
    let orphans: [ModuleID]
    let lost: LostJournals
    private let run: RunDirectory

    /// - Throws: why nothing would be started.
    init(of configuration: ClusterConfiguration, _ run: RunDirectory, _ wishes: Wishes = Wishes()) throws(CLIError) {
        self.run = run
        try Self.checkKey(run)
        members = try Self.members(of: configuration, run, wishes)
        orphans = try Self.orphans(run, isReset: wishes.isReset)
        lost = try LostJournals(run, of: members.modules)
        if !wishes.acceptsLoss { try lost.refuse() }
    }

    /// The notices that the start will give about the state on the disk, a line each.
    var forecast: [String] {
        let files = ModuleFiles(run)
        return lost.lines + lost.laterLines + members.modules.sorted().compactMap { files.notice(of: $0.rawValue) }
    }

    /// The supervisor would refuse it as well, in its log, and knows nothing of what depends on it.
    private static func checkKey(_ run: RunDirectory) throws(CLIError) {
        guard let trouble = ClusterKey(run).trouble else { return }
        throw CLIError(.failed, "cluster.key", "nothing is started: \(trouble)", hint: try SealedWork(run).text)
    }

    private static func members(of configuration: ClusterConfiguration, _ run: RunDirectory, _ wishes: Wishes) throws(CLIError) -> MembershipPlan {
        let plan: MembershipPlan
        do throws(RegistryFileError) {
            plan = try StoppedCluster(run: run).plan(configuration.hosts, .start(isReset: wishes.isReset, isPacked: wishes.isPacked))
        } catch {
            throw CLIError(.failed, "cluster.registry", "\(error)", hint: "who is a member is in \(run.registry)")
        }
        let missing = configuration.hosts.flatMap(\.plugins).filter { path in
            !FileManager.default.fileExists(atPath: "\(path)/\(PluginManifest.fileName)") && plan.startsUnserved(path)
        }
        try MisplacedPlugin.refuse(configuration)
        guard missing.isEmpty else {
            throw CLIError(
                .notFound, "module.notPacked", "not packed: \(missing.joined(separator: ", "))",
                hint: (meant(missing, in: configuration.packed).map { "\($0) Else " } ?? "")
                    + "build the plugins and pack them: relux module pack --configured")
        }
        for host in plan.hosts { try host.checkExecutable("nothing is started") }
        return plan
    }

    /// - Throws: when there are any, and nobody has said that the file's members are meant.
    private static func orphans(_ run: RunDirectory, isReset: Bool) throws(CLIError) -> [ModuleID] {
        guard RegistryFile(path: run.registry).isMissing else { return [] }
        let listing = try CLIError.journal { () throws(JournalError) in try JournalListing.all(in: run.journals, environment: try .live()) }
        let modules = listing.map(\.module).filter { $0 != "Cluster" }.sorted()
        guard !modules.isEmpty, !isReset else { return modules }
        throw CLIError(
            .failed, "cluster.registry",
            "the registry \(run.registry) is gone, and the journals of \(modules.map(\.rawValue).joined(separator: ", ")) are there: "
                + "who was a member, in which version, and what waits for whom is not known without it",
            hint: "bring the file back; or start with the members that the cluster's file names, and lose what waits for others: "
                + "relux up --reset-members --yes")
    }

    /// The first packed module that is named nearly like one that is missing.
    private static func meant(_ missing: [String], in packed: String) -> String? {
        let there = ((try? FileManager.default.contentsOfDirectory(atPath: packed)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
        return missing.lazy.compactMap { path in
            NearestName.meant(URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent, among: there)
        }.first
    }
}
