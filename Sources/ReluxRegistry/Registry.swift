package import ReluxControl
package import ReluxWire

/// The broker's whole judgement as a pure state machine: who belongs to the cluster, who starts when, who may be ready.
///
/// The broker's loop owns one, feeds it what happens and does what it says, in order. It touches no socket, file or
/// clock. `now` is monotonic time since any fixed point; a smaller value than before counts as the earlier one.
///
/// Design notes. Every event only changes records and sets `turn.isUnsettled`; what follows from it (who may be ready, which
/// phase comes, which host starts) is found in one place, `settle`. A batch of events is settled once, so
/// that a thousand modules that join together cost one picture and one write of the registry file.
package struct Registry: Sendable {
    package let configuration: RegistryConfiguration

    package internal(set) var modules: [ModuleID: ModuleRecord] = [:]
    package internal(set) var hosts: [HostID: HostRecord] = [:]
    package internal(set) var boot: BootPhase
    package internal(set) var pictureVersion: UInt64 = 0
    var epochs = EpochBook(given: [builtIn: 1])
    var journals = JournalMemory()
    var connections: [ConnectionID: HostID] = [:]
    var seat = SupervisorSeat()
    var losses = Losses()
    /// Modules on their way from one host to another.
    package internal(set) var handovers: [ModuleID: Handover] = [:]
    /// The version that each module serves, apart from the packed one; also of modules that are not there.
    package internal(set) var served: [ModuleID: ServedVersions] = [:]
    package internal(set) var filed = FiledMembers()
    var partings = Partings()
    var startQueue = StartQueue()
    var ingress: Ingress
    package var notices = Notices()

    var index = ModuleIndex()
    var turn = Turn()
    var clock = RegistryClock()

    var supervisor: SupervisorSeat.Supervisor? { seat.supervisor }
    package var counters: Notices.Counters { notices.counters }
    /// The latest moment that it was told.
    package var now: Duration { clock.now }
    /// The known lives of each module whose journal was opened.
    package var openedJournals: [ModuleID: KnownLives] { journals.lives }
    /// See ``EpochBook/outlivedBy``.
    package var outlivedBy: Epoch? { epochs.outlivedBy }

    package init(configuration: RegistryConfiguration = RegistryConfiguration()) {
        self.configuration = configuration
        self.boot = configuration.supervised ? .idle : .infrastructure
        self.ingress = Ingress(configuration.ingress)
        (turn.isUnsettled, turn.mustPersist) = (true, true)
    }

    /// Takes in one event and says what to do.
    package mutating func on(_ event: Event, now: Duration) -> [Action] {
        on(CollectionOfOne(event), now: now)
    }

    /// Takes in everything that has arrived and says what to do, with one picture and one write for all of it.
    ///
    /// - Parameters:
    ///   - now: what counts for limits; without the time in which the broker stood still.
    ///   - time: with it; nil where it did not.
    package mutating func on(_ events: some Sequence<Event>, now: Duration, time: Duration? = nil) -> [Action] {
        clock.pass(now, time ?? now)
        for event in events {
            switch event {
            case .host(let connection, let message): heard(message, from: connection)
            case .supervisor(let connection, let message, let plugins):
                heard(message, from: connection, plugins: plugins)
            case .client(let connection, let request, let plugins):
                heard(request, from: connection, plugins: plugins)
            case .silent(let connection): fellSilent(connection)
            case .heartbeats(let connections): heardHeartbeats(of: connections)
            case .answered(let request, let body): answered(request, body)
            case .retired(let module): noteRetired(module)
            case .ownNews(let message):
                switch message {
                case .interrupted(let module, let count, let effects): interrupted(module, count, effects)
                case .disk(let troubles): notices.own.disk = troubles
                case .counters(let totals): notices.own.refused = totals[Self.builtIn]?.refusals
                case .bus(let counters):
                    (notices.own.forgotten, notices.own.files) = (counters.forgotten, counters.files)
                    take(counters.lost)
                default: break
                }
            case .malformed(let connection, let why):
                notices.counters.malformed += 1
                answer(
                    connection, "", .refused(code: "broker.message", message: "the message could not be decoded: \(why)"))
            case .tick: ticked()
            }
        }
        recollect()
        settle()
        show()
        return flush()
    }

    /// Actions that need not wait, then the durable ones, the welcomes, the picture, and last those that suppose that it is known.
    private mutating func flush() -> [Action] {
        defer { turn = Turn() }
        guard turn.hasPictureChanged || turn.mustPersist || !turn.welcomes.isEmpty else { return turn.ahead + turn.actions }
        if turn.hasPictureChanged { pictureVersion = nextPictureVersion }
        var all = turn.ahead
        if turn.hasPictureChanged || turn.mustPersist { all.append(.persist(snapshot)) }
        let picture = picture
        for welcome in turn.welcomes {
            if let known = knownLives(of: welcome.epochs.keys) { all.append(.toHosts([welcome.connection], known)) }
            all.append(.toHosts([welcome.connection], .welcome(epochs: welcome.epochs, picture: picture)))
        }
        if turn.hasPictureChanged {
            let welcomed = Set(turn.welcomes.map(\.connection))
            let others = connectedHosts.filter { !welcomed.contains($0) }
            if !others.isEmpty { all.append(.toHosts(others, .picture(picture))) }
        }
        return all + turn.actions
    }
}
