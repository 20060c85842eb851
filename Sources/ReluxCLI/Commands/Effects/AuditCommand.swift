import ArgumentParser
import Glibc
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxWire

struct AuditCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Proves from the journals that no effect is lost.",
        discussion: """
            For each publisher, topic and recipient: accepted = settled + settled but not acknowledged yet + in flight or parked + dead + \
            refused + lost by removal, and what one journal says of another module stands in that one's journal too. It may run at any time, \
            with or without a cluster. Exit status 8 if something does not balance, 1 if a journal cannot be read.
            """)
    static let examples = ["relux audit", "relux audit --json | jq .findings"]

    @OptionGroup var common: CommonOptions

    /// The number of further looks that must confirm a difference before it counts.
    private static let confirmations = 3
    /// A reading of this size is announced.
    private static let lengthyBytes = 64 << 20
    private static let pauseMicroseconds: UInt32 = 100_000

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let run = try session.location().run
        let journals = (try? JournalListing.all(in: run.journals, environment: .live()) { _, _ in }) ?? []
        let bytes = journals.reduce(0) { $0 + $1.allocated }
        if bytes >= Self.lengthyBytes { session.say("reading \(journals.count) journals, \(bytes >> 20) MiB") }
        var look = try Self.look(run)
        var again = try Self.look(run)
        var places = try Self.places(session)
        var audit = Audit(first: look, second: again, places: places)
        // Nobody writes journals without a cluster.
        for _ in 0..<Self.confirmations where !audit.isBalanced && places != nil {
            usleep(Self.pauseMicroseconds)
            look = again
            again = try Self.look(run)
            places = try Self.places(session)
            audit = Audit(first: look, second: again, places: places).confirming(audit)
        }
        // Nobody has opened them since; whoever does writes it down.
        if places == nil, let lost = try? LostJournals(run) { audit.losses += lost.lines }
        AuditOutput.print(audit, isLive: places != nil, session)
        if audit.rows.isEmpty, audit.isBalanced { session.say("there is nothing to audit in \(run.journals)") }
        return audit.findings.isEmpty ? audit.unreadable.isEmpty ? .ok : .failed : .lost
    }

    private static func look(_ run: RunDirectory) throws(CLIError) -> AuditLook {
        try CLIError.journal { () throws(JournalError) in
            try AuditLook(folder: run.journals, environment: try .live())
        }
    }

    /// The place of each module, which tells what becomes of effects that wait for it; nil when no cluster answers.
    private static func places(_ session: CommandSession) throws(CLIError) -> [ModuleID: Audit.Place]? {
        do throws(CLIError) {
            let client = try session.client()
            let status = try session.status(client)
            // The broker's own node, through which the ingress emits.
            var places: [ModuleID: Audit.Place] = ["Cluster": .running]
            let absences = status.picture.absences
            for module in status.modules { places[module.id] = absences[module.id].map(Audit.Place.parked) ?? place(of: module.state) }
            return places
        } catch where error.status == .unreachable || error.status == .timeout {
            if error.status == .timeout || error.code == CLIError.brokerDiesCode {
                session.sayOnce("\(error.message); so nobody says whether what is open is in flight or parked")
            }
            return nil
        }
    }

    private static func place(of state: ModuleState) -> Audit.Place {
        switch state.phase {
        case .recovering, .waiting, .ready, .draining: .running
        default: .parked(state.phase.rawValue + (state.why.isEmpty ? "" : ": \(state.why)"))
        }
    }
}
