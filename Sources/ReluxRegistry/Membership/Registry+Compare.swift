import ReluxControl
import ReluxPlugin
import ReluxWire

/// The cluster's file against a cluster that runs: what differs, and the changes for which there is no other order.
extension Registry {
    mutating func compare(
        _ file: [HostSpec], _ plugins: [String: PluginFacts], isCarriedOut: Bool, _ connection: ConnectionID, _ request: String
    ) {
        let differences = plan(file, plugins, for: .running).differences
        if isCarriedOut {
            filed.replace(with: file)
            turn.mustPersist = true
        }
        answer(connection, request, .differences(differences))
    }

    mutating func configure(_ spec: HostSpec, _ connection: ConnectionID, _ request: String) {
        guard let host = hosts[spec.id] else {
            let known = hosts.keys.sorted().prefix(20).map(\.rawValue).joined(separator: ", ")
            return refuse(connection, request, Refusal(.unknownHost, "there is no host \(spec.id); there are: \(known.isEmpty ? "none" : known)"))
        }
        guard boot != .closing, host.process != .stopping else {
            return refuse(connection, request, Refusal(.shuttingDown, "host \(spec.id) cannot be configured now: it is going down"))
        }
        guard supervisor != nil, !host.isForeign else {
            let message = "host \(spec.id) is started by no supervisor of ours; configure and restart it there"
            return refuse(connection, request, Refusal(.noSupervisor, message))
        }
        if let module = host.modules.first(where: { handovers[$0] != nil }) {
            let message = "host \(spec.id) cannot be configured now: \(module) is being handed over; wait for its end: relux status"
            return refuse(connection, request, Refusal(.handingOver, message))
        }
        hosts[spec.id]?.spec.environment = spec.environment
        hosts[spec.id]?.spec.executable = spec.executable
        hosts[spec.id]?.spec.restart = spec.restart
        turn.mustPersist = true
        let returned = returnToServed(in: spec.id).map(\.text)
        guard let whole = startSpec(of: spec.id) else { return }
        orderSupervisor(.update(whole))
        guard host.process == .ordered || host.process == .running else {
            if host.process == .quarantined {
                // The change may have removed the reason for the quarantine.
                giveTurn(to: spec.id)
            }
            return answer(connection, request, .done(lines: ["host \(spec.id) starts with it"] + returned))
        }
        orderRestart(spec.id, .init(.asked, why: "its configuration was changed"))
        answer(connection, request, .done(lines: ["host \(spec.id) restarts with it: \(host.modules.map(\.rawValue).joined(separator: ", "))"] + returned))
    }
}
