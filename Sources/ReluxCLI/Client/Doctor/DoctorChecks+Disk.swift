import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxSupervisor

extension DoctorChecks {
    /// The room beside the reserve, and what all journals take of the node's cap.
    static func disk(_ run: RunDirectory, _ configuration: ClusterConfiguration?) -> [DoctorFinding] {
        guard let environment = try? JournalEnvironment.live() else { return [] }
        func bytes(_ key: String, _ fallback: Int) -> Int {
            configuration?.effective.first { $0.key == key }.flatMap { Int($0.value) }.map { $0 << 20 } ?? fallback
        }
        let limits = JournalLimits()
        var findings: [DoctorFinding] = []
        if let free = try? environment.files.room(at: run.path) {
            let room = DiskRoom(directory: run.path, free: free, reserve: bytes("journal.reserve-mebibytes", limits.reserve))
            findings.append(
                room.trouble.map { .init(.fail, "disk", $0) }
                    ?? .init(.ok, "disk", "\(ByteText.of(free)) free, the reserve is \(ByteText.of(room.reserve))"))
        }
        do {
            let journals = try JournalListing.all(in: run.journals, environment: environment) { module, error in
                findings.append(.init(.fail, "journals", "the journal of \(module) cannot be looked at: \(error)"))
            }
            let (taken, cap) = (journals.reduce(0) { $0 + $1.allocated }, bytes("journal.node-mebibytes", limits.nodeCap))
            let text = "\(journals.count == 1 ? "one journal takes" : "\(journals.count) journals take") \(ByteText.of(taken)) of the \(ByteText.of(cap)) that the node may keep"
            findings.append(
                taken <= cap
                    ? .init(.ok, "journals", text)
                    : .init(
                        .warn, "journals", "\(text): what somebody still needs is kept beyond that",
                        remedy: "relux journal ls shows the largest, relux audit who holds them; or raise journal.node-mebibytes"))
        } catch {
            findings.append(.init(.fail, "journals", error.description))
        }
        return findings
    }
}
