import ReluxControl
import ReluxWire

/// Collects the hellos of all hosts that run, if the broker starts without the registry's file and finds journals. The broker names the members after that.
///
/// Design notes. Whoever is in no picture is lost to all that wait for it. So the hosts that run are taken in together, behind the supervisor: a
/// picture of those that came first would lack the others. Hosts go on with the picture that they have meanwhile.
struct Recollection: Sendable {
    /// Members, as their journals show.
    var members: Set<ModuleID>
    /// The latest word of each.
    var hellos: [ConnectionID: HostHello] = [:]
    /// Hosts that run, as the supervisor says; nil before it has spoken.
    var running: Set<HostID>?
    var since: Duration?
    var isOver = false

    /// - Parameter patience: for a supervisor, or a host, that says nothing.
    func isComplete(_ now: Duration, patience: Duration) -> Bool {
        now - (since ?? now) > patience || running.map { $0.isSubset(of: hellos.values.map(\.host)) } ?? false
    }
}

extension Registry {
    /// No picture is to be made yet.
    package var isRecollecting: Bool { journals.recollection.map { !$0.isOver } ?? false }

    /// Called behind the events of each call.
    mutating func recollect() {
        guard isRecollecting else { return }
        if journals.recollection?.since == nil { journals.recollection?.since = clock.now }
        guard let known = journals.recollection, known.isComplete(clock.now, patience: configuration.startPatience) else { return }
        journals.recollection?.isOver = true
        journals.recollection?.hellos = [:]
        // Each module that is entered takes its membership out of the recollection.
        for (connection, hello) in known.hellos.sorted(by: { $0.value.host < $1.value.host }) { greet(hello, from: connection) }
        turn.hasPictureChanged = true
    }
}
