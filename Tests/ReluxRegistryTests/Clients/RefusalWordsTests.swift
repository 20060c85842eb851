import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

/// A host writes the rule's name in front of what it is told, and has written it in front of what it says.
@Suite struct RefusalWordsTests {
    @Test func `what a host says is told back without the rule's name, which the host writes`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let connection = try #require(cluster.running["auth"]).connection
        let said = "layer.unknown: Auth links what nobody knows"
        let actions = cluster.registry.on(.host(connection, .refused(module: "Auth", code: "layer.unknown", message: said)), now: cluster.now)
        let told = actions.compactMap { action in
            if case .toHosts(_, .refuse("Auth", let code, let message)) = action { "\(code): \(message)" } else { nil }
        }
        #expect(told == [said], "\(told)")
        #expect(cluster.registry.modules["Auth"]?.refusal?.named == said)
    }

    @Test(arguments: [("exit 0 (no licence)", true), ("exit 0", true), ("exit 3 (exit 0)", false)])
    func `a process that has ended in order is not started again, whatever its last words were`(_ status: String, _ endsHere: Bool) {
        var cluster = FakeCluster()
        var job = cluster.host(declaration("Job", .domain))
        job.restart = .transient
        cluster.boot([job])
        cluster.crash(job.id, status: status, restarts: false)
        #expect(cluster.phase("Job") == (endsHere ? .stopped : .backoff))
    }
}
