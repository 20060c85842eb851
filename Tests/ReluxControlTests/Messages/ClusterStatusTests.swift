import Relux
import ReluxControl
import ReluxWire
import Testing

@Suite struct ClusterStatusTests {
    @Test func `a status keeps what its broker has said of refusals at the ingress and of its own deaths`() throws {
        var status = ClusterStatus(
            brokerPid: 1, supervisorPid: 2, phase: .open, picture: ClusterPicture(version: 9, members: [], hosts: []), modules: [], notes: [ClusterNote("odd")],
            barriers: [.init(module: "Auth", isOpen: false, isStuck: true, text: "why")],
            refusedAtIngress: [RefusalCount(reason: "ingress-closed", effect: "Auth.Business.Effect.login", site: "", count: 3, message: "closed")])
        status.brokerDeaths = 4
        status.unloaded = ["Notes"]
        status.barriers[0].unknownMode = .init(mode: "x", known: ["y"])
        let read = try CBOR.decode(ClusterStatus.self, from: CBOR.encode(status))
        #expect(read.refusedAtIngress?.map(\.count) == [3] && read.brokerDeaths == 4)
        #expect(read.unloaded == ["Notes"] && read.barriers[0].unknownMode?.known == ["y"])
        #expect(read.barriers == status.barriers && read.notes == status.notes)
    }
}
