import Glibc
import ReluxControl
import ReluxOutput
import ReluxRegistry
import ReluxSystem
import ReluxTap
import ReluxWire

extension CLIError {
    /// No supervisor has the lock; its processes may be there all the same.
    static func unreachable(_ run: RunDirectory) -> CLIError {
        let left = ClusterProcesses.find(run)
        guard !left.isEmpty else { return unreachable(run, "no supervisor runs there") }
        return CLIError(
            .unreachable, "cluster.unreachable",
            "no cluster answers in \(run.path), but processes of it run: \(ClusterProcesses.list(left)); what they had there was taken away",
            hint: "they make it anew or end within seconds; relux down ends them")
    }

    static func unreachable(_ run: RunDirectory, _ why: String) -> CLIError {
        CLIError(
            .unreachable, "cluster.unreachable", "no cluster answers in \(run.path): \(why)",
            hint: "start it with `relux up`, or name another with --run or --config")
    }

    /// Nobody is left who could answer, or soon will be: whoever waits need not wait on.
    ///
    /// - Parameters:
    ///   - what: what was waited for.
    ///   - outcome: what is known of that; empty when there is nothing to say.
    static func takenDown(_ run: RunDirectory, before what: String, _ outcome: String = "") -> CLIError {
        let verb = run.isEnding ? "is being taken down" : "was taken down"
        return CLIError(
            .unreachable, "cluster.down", "the cluster in \(run.path) \(verb) before \(what)" + (outcome.isEmpty ? "" : ": \(outcome)"),
            hint: "start it again with `relux up`")
    }

    /// Another broker knows nothing of what this one was asked.
    static func otherBroker(_ asked: Int32, _ now: Int32) -> CLIError {
        CLIError(
            .failed, "cluster.otherBroker",
            "the broker that was asked, process \(asked), has ended, and process \(now) has its place: whether it has done what was asked is not known",
            hint: "see `relux status`, and ask once more if it was not done")
    }

    /// The supervisor is there, and will start it again.
    static func brokerAway(_ run: RunDirectory, supervisor: Int32) -> CLIError {
        if let why = run.unwritable {
            return CLIError(
                .unreachable, "cluster.unreachable", "no cluster answers in \(run.path): supervisor \(supervisor) runs, and its broker waits: \(why)",
                hint: "let this user write there (ls -ld, findmnt -T \(run.path)), and it goes on by itself")
        }
        guard let trouble = run.brokerTrouble else {
            return CLIError(
                .unreachable, "cluster.unreachable",
                "no cluster answers in \(run.path): supervisor \(supervisor) runs, but its broker does not listen"
                    + (run.brokerTroubleHindrance.map { "; why is not known: \($0)" } ?? ""),
                hint: "it is started again by itself; ask once more, see relux logs broker")
        }
        return .brokerDies(run, trouble)
    }

    static let brokerDiesCode = "broker.dies"
    static let notNamedCode = "cluster.notNamed"

    static func brokerDies(_ run: RunDirectory, _ trouble: BrokerTrouble) -> CLIError {
        CLIError(
            .unreachable, brokerDiesCode, "no cluster answers in \(run.path): \(TerminalText.escaped(trouble.text))",
            hint: "mend that, and the next one serves; its words are in \(run.log(of: "broker")); relux down ends the cluster")
    }

    /// The remedy for a module that is not there: load it, or write its name otherwise; nil when no name is near.
    static func meant(_ name: String, loaded: [String], packed: [String]) -> String? {
        if packed.contains(name) { return "it is packed and not loaded: relux module load \(name)" }
        return NearestName.meant(name, among: loaded + packed.filter { !loaded.contains($0) })
    }

    /// The broker's refusals by rule.
    ///
    /// - Parameter waited: how long it was waited for the reason to go over.
    static func refused(_ code: String, _ message: String, waited: Duration? = nil) -> CLIError {
        let status: ExitStatus =
            switch code {
            case Refusal.Rule.unknownModule.rawValue, Refusal.Rule.noSchedule.rawValue: .notFound
            // It was tried, and it is as before.
            case Refusal.Rule.handOverFailed.rawValue: .failed
            default: .refused
            }
        let hint = waited.map { "it was so for \(DurationText.print($0)); --timeout waits longer" } ?? (code == Refusal.Rule.shuttingDown.rawValue ? "start it again with `relux up`" : "")
        return CLIError(status, "refused.\(code)", message, hint: hint)
    }

    static func strangeAnswer(_ request: String) -> CLIError {
        CLIError(
            .failed, "cluster.answer", "the broker answered the request `\(request)` with something else",
            hint: "use the relux that belongs to this cluster")
    }
}

extension RunDirectory {
    /// The part of this user's run directory that cannot be written now, and why: whoever serves from it waits.
    var unwritable: String? {
        for part in [path, state, journals, sockets] where access(part, W_OK | X_OK) != 0 {
            let number = errno
            var found = stat()
            if DiskRefusal.mayPass(number), stat(part, &found) == 0, found.st_uid == geteuid() {
                return "\(part) cannot be written: \(String(cString: strerror(number)))"
            }
        }
        return nil
    }

    /// Brokers die one after the other, and not by chance.
    var steadyTrouble: BrokerTrouble? { brokerTrouble.flatMap { $0.deaths >= BrokerTrouble.manyDeaths ? $0 : nil } }
}

extension ClusterStatus {
    /// The cluster goes down: what has not come to its end by now does not.
    var isClosing: Bool { phase == .closing }
}

/// Brokers that die one after the other, while somebody waits for one: what they died of may have been mended a moment ago.
struct BadPatch {
    /// Longer than the supervisor waits before the next start, and a start takes.
    private static let grace: Duration = .seconds(2)
    private var since: ContinuousClock.Instant?

    /// Nil also while the next one may still serve.
    mutating func trouble(of run: RunDirectory, at now: ContinuousClock.Instant) -> BrokerTrouble? {
        guard let trouble = run.steadyTrouble else {
            since = nil
            return nil
        }
        let since = since ?? now
        self.since = since
        return since.duration(to: now) >= Self.grace ? trouble : nil
    }
}
