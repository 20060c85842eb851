import Glibc
import Relux
import ReluxControl
import ReluxZeroMQ

/// A broker of its own in a directory of its own, which has opened; the supervisor is played.
struct BenchBroker: ~Copyable {
    let run: RunDirectory
    private let place: SocketDirectory
    private let process: Peer
    private let supervisor: ZeroMQSocket

    /// - Parameter program: path of `relux-broker`.
    /// - Throws: when it does not open within a minute.
    init(_ program: String, in context: ZeroMQContext) throws {
        let place = try SocketDirectory()
        let run = RunDirectory(path: place.path + "/run")
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        setenv(Lifeline.environmentKey, "\(Peer.lifeline)", 1)
        let process = try Peer(program: program, ["--run", run.path])
        var options = SocketOptions()
        options.linger = .zero
        let supervisor = try ZeroMQSocket(.dealer, in: context, options: options)
        try supervisor.connect(run.membersEndpoint)
        let hello = SupervisorHello(pid: getpid(), instance: "bench", running: [:], declared: [])
        _ = try supervisor.send(try CBOR.encode(BrokerInbound.supervisor(.hello(hello))))
        var talk = try BrokerTalk(run.path)
        _ = try talk.status(when: "broker that has opened") { $0.phase == .open }
        self.run = run
        self.place = place
        self.process = process
        self.supervisor = supervisor
    }

    /// - Throws: when it has failed.
    func end() throws { try process.end() }
}
