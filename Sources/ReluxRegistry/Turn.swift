import ReluxControl
import ReluxWire

/// The actions of one call of the registry, and the kinds of change that it has made; each call begins with an empty one.
struct Turn: Sendable {
    /// In order; behind the picture and the registry's file, if those have changed.
    var actions: [Registry.Action] = []
    /// Actions that do not depend on this call's changes being on the disk.
    var ahead: [Registry.Action] = []
    var welcomes: [(connection: ConnectionID, epochs: [ModuleID: Epoch])] = []
    /// Members of the supervisor life before this one, who are declared again.
    var former: [ModuleID: ModuleRecord] = [:]
    /// Clients that have asked for the status: one reading answers all of them.
    var lookers: [(connection: ConnectionID, request: String)] = []
    /// Records have changed, and what follows from them is not found yet.
    var isUnsettled = false
    var hasPictureChanged = false
    var mustPersist = false
}

/// The words of the registry, in the order in which they are said.
extension Registry {
    /// Nothing if no supervisor is there: it is told what it has missed when it says hello.
    mutating func orderSupervisor(_ order: SupervisorOrder) {
        if let supervisor { turn.actions.append(.toSupervisor(supervisor.connection, order)) }
    }

    mutating func tell(_ connection: ConnectionID, _ order: HostOrder) { tell([connection], order) }

    mutating func tell(_ connections: [ConnectionID], _ order: HostOrder) {
        if !connections.isEmpty { turn.actions.append(.toHosts(connections, order)) }
    }

    mutating func publish(_ fact: ClusterFact) { turn.actions.append(.publish(fact)) }
}
