import BusProbeKit
import Glibc
import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import ReluxTestKit
import ReluxZeroMQ
import Synchronization

/// Where the conformance suite runs: queues of this process, sockets of this process, or sockets between processes, where
/// every host has a process of its own but the one that a test keeps `here`. Journals are files there, and kept in memory elsewhere.
enum Medium: Sendable, CaseIterable { case inMemory, zeroMQ, processes }

/// Hosts that share a medium, and the broker's word on who is who.
final class World: Sendable {
    struct Host {
        var obeying: any Obeying
        var address: String
    }
    struct State {
        var hosts: [String: Host] = [:]
        /// Every member that the broker knows, and where it runs or ran.
        var members: [ModuleID: (member: Member, since: UInt64, host: String?)] = [:]
        /// Hosts that may take a member over soon.
        var standbys: [ModuleID: String] = [:]
        var version: UInt64 = 0
        var lives = 0
    }

    let medium: Medium
    let seen = Watched(Seen())
    private let hub = InMemoryHub()
    private let context: ZeroMQContext?
    private let directory = TemporaryDirectory(isMade: true)
    private let disk = MemoryDisk()
    let state = Mutex(State())

    init(_ medium: Medium) throws {
        self.medium = medium
        context = medium == .inMemory ? nil : try ZeroMQContext()
        guard mkdir(journals, 0o700) == 0 else { throw ChildHost.Failed(what: "mkdir", code: errno) }
    }

    // MARK: Journals

    private var journals: String { directory.file("journals") }

    /// The ledger of the module's journal, as it is now.
    func ledger(of module: ModuleID) throws -> Ledger {
        medium == .processes ? try FileJournals.ledger(of: module, in: journals) : try disk.ledger(of: module)
    }

    /// The same, once it says that all is settled: an answer comes a moment before it is written down.
    func settledLedger(of module: ModuleID) async throws -> Ledger {
        while true {
            let ledger = try ledger(of: module)
            if ledger.isSettled { return ledger }
            await Task.yield()
        }
    }

    // MARK: Hosts

    /// Starts hosts, each in a process of its own where the medium is processes.
    func start(_ names: String...) throws {
        for name in names {
            guard medium == .processes else {
                try start(here: name)
                continue
            }
            let seen = seen
            let address = "ipc://\(directory.path)/\(name).x"
            let child = try ChildHost(name, endpoint: address, tapEndpoint: "ipc://\(directory.path)/\(name).t", journals: journals) { event in
                seen.update { $0.add(event) }
            }
            state.withLock { $0.hosts[name] = Host(obeying: child, address: address) }
        }
    }

    /// Starts a host in this process.
    @discardableResult
    func start(
        here name: String, queuedByteLimit: Int = 64 << 20, unsettledByteLimit: Int = 1 << 30, queuedFrameLimit: Int? = nil
    ) throws -> ProbeHost {
        // libzmq unlinks the socket of a closed endpoint when it likes: a second life here needs a name of its own.
        let life = state.withLock { state in
            state.lives += 1
            return state.lives
        }
        let address = context == nil ? name : "ipc://\(directory.path)/\(name).\(life).x"
        let transport: any BusTransport =
            if let context {
                try ZeroMQTransport(
                    context: context, endpoint: address, tapEndpoint: "ipc://\(directory.path)/\(name).\(life).t",
                    queuedFrameLimit: queuedFrameLimit)
            } else {
                InMemoryTransport(hub: hub, endpoint: address)
            }
        let seen = seen
        let host = try ProbeHost(
            HostID(rawValue: name), transport: transport,
            journals: medium == .processes ? try FileJournals(in: journals) : MemoryJournals(on: disk),
            queuedByteLimit: queuedByteLimit, unsettledByteLimit: unsettledByteLimit, onEvent: { event in seen.update { $0.add(event) } })
        state.withLock { $0.hosts[name] = Host(obeying: host, address: address) }
        return host
    }

    /// `kill -9`, and the broker's word on it: the host's members keep their places.
    ///
    /// A host of this process is cut off instead.
    func kill(_ name: String) async throws {
        guard let host = state.withLock({ $0.hosts.removeValue(forKey: name) }) else { throw Unknown(what: name) }
        (host.obeying as? ChildHost)?.end()
        (host.obeying as? ProbeHost)?.kill()
        state.withLock { state in
            for id in state.members.keys where state.members[id]?.host == name { state.members[id]?.host = nil }
        }
        try await publish()
    }

    /// The host neither sends nor hears until it is thawed.
    func freeze(_ name: String) { signal(name, SIGSTOP) { hub.freeze($0) } }
    func thaw(_ name: String) { signal(name, SIGCONT) { hub.thaw($0) } }

    private func signal(_ name: String, _ number: Int32, inMemory: (String) -> Void) {
        guard let host = state.withLock({ $0.hosts[name] }) else { return }
        if let child = host.obeying as? ChildHost { child.signal(number) } else { inMemory(host.address) }
    }

    private func end(_ host: Host) {
        (host.obeying as? ChildHost)?.end()
        (host.obeying as? ProbeHost)?.stop()
    }

    /// Ends every process; the directory goes with the value.
    func stop() {
        let hosts = state.withLock { state in
            defer { state.hosts = [:] }
            return state.hosts.values
        }
        // Those here first, so that nothing of theirs lingers for processes that are gone.
        for host in hosts where host.obeying is ProbeHost { end(host) }
        for host in hosts where host.obeying is ChildHost { end(host) }
        context?.terminate()
    }

    struct Unknown: Error, CustomStringConvertible {
        var what: String
        var description: String { what }
    }
}
