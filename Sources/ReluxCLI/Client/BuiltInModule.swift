import Relux
import ReluxControl
import ReluxJournal
import ReluxPlugin
import ReluxTap
import ReluxWire

/// The broker's own module. It is in no list of modules, for it comes and goes with the broker: what the broker tells of the cluster and what comes through
/// the ingress is said in its name.
struct BuiltInModule {
    static let id: ModuleID = "Cluster"
    static let process = "broker"

    private let brokerPid: Int32
    private let refusals: [RefusalCount]
    /// The epoch of its present life; nil when its journal does not tell.
    private let epoch: Epoch?

    init(_ status: ClusterStatus, _ run: RunDirectory) {
        brokerPid = status.brokerPid
        refusals = status.refusedAtIngress ?? []
        epoch = (try? NodeJournals(run).found.first { $0.module == Self.id })?.epoch
    }

    /// Why no command loads, hands over or removes it.
    static let fixed = CLIError(
        .refused, "module.builtIn", "Cluster is the broker's own module, which comes and goes with the broker", hint: "relux module show Cluster tells what it is")

    private static let emits = [Cluster.Business.Effect.wireTopic.rawValue]
    private var refused: UInt64 { refusals.reduce(0) { $0 &+ $1.count } }

    var lines: [String] {
        var table = TextTable(["module", "\(Self.id), the broker's own: what the broker tells, and what comes through the ingress, is said in its name"])
        table.add(["kind", "built-in"])
        table.add(["state", "ready"])
        table.add(["host", "\(Self.process)  pid \(brokerPid)" + (epoch.map { "  epoch \($0)" } ?? "")])
        table.add(["emits", Self.emits.joined(separator: ", ") + ", and for relux effect send and other clients whatever a module handles"])
        table.add(["refused", "\(refused)"])
        for refusal in refusals { table.add(["", ModuleShowCommand.line(refusal)]) }
        return table.lines()
    }

    var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init("schema", "relux.module/1"), .init("id", .string(Self.id.rawValue)), .init("kind", "built-in"), .init("state", "ready"),
            .init("host", .string(Self.process)), .init("pid", .integer(Int128(brokerPid))),
        ]
        let life: JSONValue = epoch.map { .integer(Int128($0.rawValue)) } ?? .null
        return .object(members + [
            .init("epoch", life), .init("emits", .array(Self.emits.map { .string($0) })), .init("refused", .integer(Int128(refused))),
            .init("refusals", .array(refusals.map { StatusOutput.json($0) })),
        ])
    }
}
