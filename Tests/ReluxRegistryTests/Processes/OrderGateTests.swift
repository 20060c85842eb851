import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

@Suite struct OrderGateTests {
    private static let full = RegistryFileError(.unwritable, "no room", mayPass: true)
    private var gate = OrderGate()
    private var written: [UInt64] = []

    private static func persist(_ version: UInt64) -> Registry.Action {
        var snapshot = Registry().snapshot
        snapshot.pictureVersion = version
        return .persist(snapshot)
    }

    /// Something that is done, by a number.
    private static func act(_ number: UInt64) -> Registry.Action {
        .publish(.instanceEnded(module: "Auth", epoch: number))
    }

    /// An action that only shows: the answer to somebody who looks.
    private static func look(_ number: UInt64) -> Registry.Action {
        .answer(FakeCluster.client, ClientResponse(id: "\(number)", body: .whyNot(unmet: [])))
    }

    private static func word(_ action: Registry.Action) -> String {
        switch action {
        case .persist(let snapshot): "persist \(snapshot.pictureVersion)"
        case .publish(.instanceEnded(module: _, epoch: let number)): "act \(number)"
        case .answer(_, let response): "look \(response.id)"
        case .toHosts(_, .ping): "ping"
        case .toHosts(_, .introduce): "introduce a host"
        case .toSupervisor(_, .introduce): "introduce a supervisor"
        default: "\(action)"
        }
    }

    /// The actions that may be done: ahead of the write, and behind it.
    private mutating func pass(
        _ actions: [Registry.Action], at now: Duration = .zero, _ failure: RegistryFileError? = nil
    ) throws(RegistryFileError) -> (ahead: [String], behind: [String]) {
        let ahead = gate.ahead(of: actions).map(Self.word)
        var tried: [UInt64] = []
        defer { written += tried }
        let behind = try gate.pass(actions, now: now) { snapshot throws(RegistryFileError) in
            if let failure { throw failure }
            tried.append(snapshot.pictureVersion)
        }
        return (ahead, behind.map(Self.word))
    }

    @Test mutating func `what stands before the write need not wait for it, the rest comes when it is done`() throws {
        let first = try pass([Self.act(1), Self.look(2), Self.persist(7), Self.act(3), Self.look(4)])
        #expect(first.ahead == ["act 1", "look 2"] && first.behind == ["act 3", "look 4"])
        #expect(written == [7] && !gate.isHeld)
        let second = try pass([Self.act(5), Self.act(6)])
        #expect(second.ahead == [] && second.behind == ["act 5", "act 6"])
        #expect(written == [7])
    }

    @Test mutating func `a full disk holds back all but what only shows, and what comes later with it`() throws {
        let first = try pass([Self.act(1), Self.persist(1), Self.act(2), Self.look(3), .toHosts([], .ping)], Self.full)
        #expect(first.ahead == ["act 1"] && first.behind == ["look 3", "ping"] && gate.isHeld)
        // Without a snapshot of its own, and the disk has room again: it is not tried before its pause is over.
        let second = try pass([Self.act(4), Self.look(5)], at: .milliseconds(1))
        #expect(second.ahead == [] && second.behind == ["look 5"] && gate.isHeld)
        let third = try pass([Self.act(6), Self.persist(2), Self.act(7)], at: .milliseconds(2))
        #expect(third.ahead == [] && third.behind == [] && written == [])
        // In order, and only the latest snapshot is written.
        let fourth = try pass([Self.act(8)], at: OrderGate.pause)
        #expect(fourth.ahead == [] && fourth.behind == ["act 2", "act 4", "act 6", "act 7", "act 8"])
        #expect(written == [2] && !gate.isHeld)
        let fifth = try pass([Self.act(9)], at: OrderGate.pause)
        #expect(fifth.behind == ["act 9"] && written == [2])
    }

    @Test mutating func `who is asked for its name is not kept waiting for a disk, or it would be taken for dead`() throws {
        let first = try pass(
            [Self.persist(1), .toHosts([], .introduce), Self.act(1), .toSupervisor(FakeCluster.supervisor, .introduce)], Self.full)
        #expect(first.behind == ["introduce a host", "introduce a supervisor"])
        #expect(try pass([.toHosts([], .introduce)], at: .milliseconds(1)).behind == ["introduce a host"])
        #expect(try pass([], at: OrderGate.pause).behind == ["act 1"])
    }

    @Test mutating func `a disk that stays full is tried again after each pause, and nothing is shown twice`() throws {
        _ = try pass([Self.persist(1), Self.look(1), Self.act(2)], Self.full)
        for round in 1...3 {
            #expect(try pass([Self.look(9)], at: OrderGate.pause * round, Self.full).behind == ["look 9"])
            // The pause begins anew.
            #expect(try pass([], at: OrderGate.pause * round + .milliseconds(1)).behind == [])
        }
        #expect(gate.isHeld && written == [])
        #expect(try pass([], at: OrderGate.pause * 4).behind == ["act 2"])
        #expect(written == [1])
    }

    @Test mutating func `of pictures that wait only the last is shown, if nothing was ordered between them`() throws {
        let (one, other) = (ConnectionID(ByteString([8])), ConnectionID(ByteString([9])))
        func picture(_ version: UInt64, to hosts: ConnectionID...) -> Registry.Action {
            .toHosts(hosts, .picture(ClusterPicture(version: version, members: [], hosts: [])))
        }
        func round(_ number: UInt64, _ action: Registry.Action) throws -> [Registry.Action] {
            try gate.pass([Self.persist(number), action], now: .zero) { _ throws(RegistryFileError) in throw Self.full }
        }
        var shown = try round(1, picture(1, to: one))
        shown += try round(2, picture(2, to: one))
        shown += try round(3, picture(3, to: one, other))
        // Somebody who heard the third does not hear the fourth.
        shown += try round(4, picture(4, to: one))
        shown += try round(5, .toHosts([one], .proceed(module: "Auth")))
        shown += try round(6, picture(6, to: one, other))
        #expect(shown.isEmpty)
        let done = try gate.pass([], now: OrderGate.pause) { _ throws(RegistryFileError) in }
        let words = done.map { action in
            switch action {
            case .toHosts(let hosts, .picture(let picture)): "picture \(picture.version) to \(hosts.count)"
            case .toHosts(_, .proceed): "proceed"
            default: "\(action)"
            }
        }
        #expect(words == ["picture 3 to 2", "picture 4 to 1", "proceed", "picture 6 to 2"])
    }

    @Test mutating func `who is not answered and asks again each second does not fill what waits`() throws {
        let (one, other) = (ConnectionID(ByteString([8])), ConnectionID(ByteString([9])))
        func picture(_ version: UInt64) -> ClusterPicture { ClusterPicture(version: version, members: [], hosts: []) }
        for round in UInt64(1)...10 {
            let actions: [Registry.Action] = [
                Self.persist(round),
                .toHosts([one], .welcome(epochs: round > 5 ? ["A": Epoch(1), "B": Epoch(1)] : ["A": Epoch(1)], picture: picture(round))),
                .toHosts([other], .picture(picture(round))),
                .toHosts([one], .refuse(module: "C", code: "loader.guard", message: round > 5 ? "why" : "another why")),
                .toHosts([one], .refusalNoted(module: "C")),
            ]
            let shown = try gate.pass(actions, now: .zero) { _ throws(RegistryFileError) in throw Self.full }
            #expect(shown.isEmpty)
        }
        let done = try gate.pass([.toHosts([one], .load(directory: "d"))], now: OrderGate.pause) { _ throws(RegistryFileError) in }
        let words = done.map { action in
            switch action {
            case .toHosts(_, .picture(let picture)): "picture \(picture.version)"
            case .toHosts(_, .welcome(let epochs, let picture)): "welcome \(epochs.count) \(picture.version)"
            case .toHosts(_, .refuse(_, _, let why)): "refuse \(why)"
            case .toHosts(_, .refusalNoted): "noted"
            case .toHosts(_, .load): "load"
            default: "\(action)"
            }
        }
        #expect(words == ["refuse another why", "welcome 2 10", "picture 10", "refuse why", "noted", "load"])
    }

    @Test mutating func `equal orders and facts that come again and again do not fill what waits, nor keep others from making way`() throws {
        let (one, other) = (ConnectionID(ByteString([8])), ConnectionID(ByteString([9])))
        for round in UInt64(1)...10 {
            let actions: [Registry.Action] = [
                Self.persist(round),
                .publish(.moduleRefused(module: "A", code: "name", message: "taken")),
                .toHosts([one], .refuse(module: "A", code: "name", message: "taken")),
                .toHosts([one], .drain(module: "B")),
                .toHosts([other], .drain(module: "B")),
                .toHosts([one], .drain(module: "C")),
                .toHosts([other], .stop),
                .toHosts([one], .refusalNoted(module: "A")),
            ]
            let shown = try gate.pass(actions, now: .zero) { _ throws(RegistryFileError) in throw Self.full }
            #expect(shown.isEmpty)
        }
        let done = try gate.pass([], now: OrderGate.pause) { _ throws(RegistryFileError) in }
        let words = done.map { action in
            switch action {
            case .publish: "fact"
            case .toHosts(let hosts, .refuse): "refuse \(hosts == [one])"
            case .toHosts(let hosts, .drain(let module)): "drain \(module) \(hosts == [one])"
            case .toHosts(let hosts, .stop): "stop \(hosts == [one])"
            case .toHosts(_, .refusalNoted): "noted"
            default: "\(action)"
            }
        }
        #expect(words == ["drain B false", "stop false", "fact", "refuse true", "drain B true", "drain C true", "noted"])
    }

    @Test mutating func `who is told to stop keeps what it was told before, and hears nothing more`() throws {
        let one = ConnectionID(ByteString([8]))
        let (drain, stop): (Registry.Action, Registry.Action) = (.toHosts([one], .drain(module: "A")), .toHosts([one], .stop))
        for action in [drain, stop, drain, drain, stop] {
            _ = try gate.pass([Self.persist(1), action], now: .zero) { _ throws(RegistryFileError) in throw Self.full }
        }
        let done = try gate.pass([], now: OrderGate.pause) { _ throws(RegistryFileError) in }
        let words = done.map { if case .toHosts(_, .stop) = $0 { "stop" } else { "drain" } }
        #expect(words == ["drain", "stop"])
    }

    @Test mutating func `who orders without end while the disk is full is stopped, and nothing of it was done`() throws {
        _ = try pass([Self.persist(1)], Self.full)
        let step = OrderGate.limit / 4
        for round in 0..<4 {
            #expect(try pass((0..<step).map { Self.act(UInt64(round * step + $0)) }, Self.full).behind == [])
        }
        #expect(throws: Self.full) { try pass([Self.act(0)], Self.full) }
    }

    @Test mutating func `more than may wait is done all the same when there is room again`() throws {
        _ = try pass([Self.persist(1)], Self.full)
        let count = OrderGate.limit + 1
        #expect(try pass((0..<count).map { Self.act(UInt64($0)) }, at: .milliseconds(1)).behind.count == count)
        #expect(written == [1] && !gate.isHeld)
    }

    @Test mutating func `any other failure is the caller's`() {
        let broken = RegistryFileError(.unwritable, "no such device")
        #expect(throws: broken) { try pass([Self.persist(1), Self.act(2)], broken) }
        #expect(!gate.isHeld)
    }
}
