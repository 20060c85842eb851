import Glibc
package import Relux
package import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxRegistry
import ReluxSystem
import ReluxZeroMQ
import Synchronization

/// The broker of one node: the registry, the ROUTERs that everybody talks to, and the built-in node `Cluster`.
///
/// Design notes. One thread owns the ROUTERs: it takes in what has arrived, asks the registry once for the whole batch and does
/// what it says, the write of the registry file first. The built-in node speaks on a bus endpoint of its own; outcomes of the
/// ingress come back to the thread through the inbox.
package final class BrokerService: Sendable {
    /// The bus endpoint's name among the hosts.
    static let hostName = "cluster"
    static let tickInterval = Duration.milliseconds(100)
    /// The same while nothing is on its way.
    static let restInterval = Duration.seconds(1)

    let run: RunDirectory
    let clock: Relux.NodeClock
    let inbox = Mutex<[Registry.Event]>([])
    /// Coded answers of the courier on their way to a host, or to all.
    let mail = Mutex<[(connection: ConnectionID?, bytes: [UInt8])]>([])
    let wakeUp: WakeUp
    let isEnding = Mutex(false)
    private let node = Mutex<ClusterNode?>(nil)
    private let context: ZeroMQContext

    package init(run: RunDirectory, clock: Relux.NodeClock = .continuous) throws {
        self.run = run
        self.clock = clock
        context = try ZeroMQContext()
        wakeUp = try WakeUp()
    }

    /// From any thread, any number of times.
    package func requestEnd() {
        isEnding.withLock { $0 = true }
        wakeUp.signal()
    }

    /// Serves until ``requestEnd()``; on the calling thread, which must not be one of Swift's own. Waits until the disk has room and may be written.
    ///
    /// - Throws: when the sockets cannot be bound (another broker runs) or the registry file is damaged or newer.
    package func serve() throws {
        let file = RegistryFile(path: run.registry, isAnchored: true)
        guard var ownPlace = try whenDiskAllows({ try BrokerPlace(run, file) }) else { return }
        // At once: nobody else will know what is read here if the file is taken away while the disk has no room.
        let snapshot = try file.read()
        guard let doors = try whenDiskAllows({ try BrokerDoors(run: run, context: context) }) else { return }
        let place = ClusterPicture.Host(
            id: HostID(rawValue: Self.hostName), endpoint: run.endpoint(of: Self.hostName),
            tapEndpoint: run.tapEndpoint(of: Self.hostName))
        let configuration = RegistryConfiguration(
            brokerPid: getpid(), brokerHost: place,
            stallLimit: EnvironmentLimits.duration("liveness.restart", default: .seconds(60)),
            evictAfter: EnvironmentLimits.duration("modules.evict-after", default: .seconds(24 * 3600)))
        var registry: Registry
        if let snapshot {
            registry = Registry(
                configuration: configuration, restoring: snapshot,
                plugins: PluginReader.read(snapshot.pluginDirectories), now: clock.now())
        } else {
            registry = Registry(configuration: configuration)
        }
        let written = try writtenEpochs { registry.remark($0) }
        registry.learn(written: written, heard: heardLives(of: written.keys) { registry.remark($0) })
        // Before anything is journaled under our own epoch: a broker that ends early must not leave the next one the same.
        guard
            try whenDiskAllows({ () throws -> Void in
                _ = try ownPlace.look { registry.snapshot }
                try file.write(registry.snapshot)
            }) != nil
        else { return }
        let limits = JournalLimits.fromEnvironment()
        let journals = try ClusterNode.journals(limits)
        let id = Registry.builtIn
        let opened = try whenDiskAllows {
            try journals.open(id, at: run.journal(of: id.rawValue), epoch: registry.ownEpoch, known: registry.openedJournals[id])
        }
        guard let opened else { return }
        let courier = try Courier(run: run, limits: limits, onShares: { [self] shares in share(shares) }, onMissed: { [self] in post(.retired($0)) }) {
            [self] answer in post(answer, to: nil)
        }
        let node = try ClusterNode(
            place: place, context: context, run: run, limits: limits, clock: clock, epoch: registry.ownEpoch, journals: journals,
            ledger: opened.ledger, courier: courier,
            onInterrupted: { [self] module, effects in post(.ownNews(.interrupted(module, effects))) })
        for (request, state) in node.recovered { registry.recover(request, state) }
        registry.noteOwnOpened()
        self.node.withLock { $0 = node }
        node.awaitRecovered { [self] request, body in post(.answered(request: request, body)) }
        var loop = BrokerLoop(service: self, doors: doors, file: file, node: node, courier: courier)
        defer { courier.stop() }
        try loop.run(&registry, at: &ownPlace)
        registry.noteEnds(node.stop())
        // In a directory that took the place of ours the registry is another's. If the file cannot be written, its former content stands, which
        // knows less of our own journal.
        if (try? ownPlace.look { registry.snapshot }) != nil { try? file.write(registry.snapshot) }
        ownPlace.release()
    }

    /// Tries again until the disk has room and may be written.
    ///
    /// - Returns: nil when the broker is to end.
    private func whenDiskAllows<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result? {
        var isSaid = false
        repeat {
            do {
                return try body()
            } catch where Self.mayPass(error) {
                if !isSaid { StandardError.write("relux-broker: \(error); it waits until the disk takes it") }
                isSaid = true
                usleep(UInt32(OrderGate.pause / .microseconds(1)))
            }
        } while !isEnding.withLock { $0 }
        return nil
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as RegistryFileError: error.mayPass
        case let error as ZeroMQError: DiskRefusal.mayPass(error.code)
        case let error as JournalError: error.mayPass
        default: false
        }
    }

    /// How far the journals of this node have come. A journal that cannot be read is one module's trouble, and no reason not to start.
    private func writtenEpochs(_ remark: (String) -> Void) throws -> [ModuleID: Epoch] {
        try JournalListing.epochs(in: run.journals, environment: .live()) { module, error in
            Self.warn("the journal of \(module) does not say how far it has come: \(error)", remark)
        }
    }

    /// Which lives of others each journal has heard.
    private func heardLives(of modules: some Sequence<ModuleID>, _ remark: (String) -> Void) -> [ModuleID: [ModuleID: Epoch]] {
        var heard: [ModuleID: [ModuleID: Epoch]] = [:]
        for module in modules {
            do {
                heard[module] = try HeardLives.read(of: module, at: run.journal(of: module.rawValue), environment: .live()).epochs
            } catch let error as JournalError where error.code == .missing {
                // It was opened, and nothing was written.
            } catch {
                Self.warn("the journal of \(module) does not say whom it has heard: \(error)", remark)
            }
        }
        return heard
    }

    private static func warn(_ text: String, _ remark: (String) -> Void) {
        StandardError.write("relux-broker: \(text)")
        remark(text)
    }

    func post(_ event: Registry.Event) {
        inbox.withLock { $0.append(event) }
        wakeUp.signal()
    }

    /// What journals may keep of the node's disk, for all that write them; on the courier's thread.
    private func share(_ shares: [ModuleID: Int]) {
        node.withLock { $0 }?.limit(to: shares)
        guard let bytes = try? CBOR.encode(BrokerOutbound.host(.journalShares(shares))) else { return }
        mail.withLock { $0.append((nil, bytes)) }
        wakeUp.signal()
    }

    func post(_ answer: CourierAnswer, to connection: ConnectionID?) {
        // Frames that were coded before always encode.
        let messages = answer.parts(byteLimit: Self.answerByteLimit).compactMap { try? CBOR.encode(BrokerOutbound.host(.courier($0))) }
        mail.withLock { mail in mail += messages.map { (connection, $0) } }
        wakeUp.signal()
    }

    /// Half of what a host takes in one message; a frame is smaller than the other half.
    private static let answerByteLimit = 1 << 20
}
