import Relux
import ReluxControl
import ReluxWire

/// The messages between a client and the broker, as the document shows them.
enum ControlSamples {
    static func messages() throws -> [(name: String, bytes: [UInt8])] {
        let payload = ByteString(try CBOR.encode(SampleEffect.authSucceeded(userId: "u1")))
        let effect = EffectID(module: "Cluster", position: 1 << 40 | 2)
        func request(_ body: ClientRequest.Body) throws -> [UInt8] {
            try CBOR.encode(BrokerInbound.client(ClientRequest(id: "r1", body: body)))
        }
        func response(_ body: ClientResponse.Body) throws -> [UInt8] {
            try CBOR.encode(BrokerOutbound.client(ClientResponse(id: "r1", body: body)))
        }
        let outcomes = [
            EmitAnswer.Outcome(recipient: "Notes", status: .succeeded, message: "", value: ByteString(try CBOR.encode(["notes": 3]))),
            EmitAnswer.Outcome(recipient: "Profile", status: .failed, message: "relux.coding: no such case", value: ByteString([])),
        ]
        return [
            ("status-request", try request(.status)),
            ("status-response", try response(.status(status))),
            ("emit-request", try request(.emit(topic: "Auth.Business.Effect", payload: payload, deadlineMilliseconds: 5000, label: "import"))),
            ("emit-response", try response(.emitted(EmitAnswer(effect: effect, unhandled: false, succeeded: false, outcomes: outcomes)))),
            ("refused-response", try response(.refused(code: "ingress-closed", message: "the ingress opens after the third phase"))),
        ]
    }

    private static var status: ClusterStatus {
        let member = ClusterPicture.Member(
            module: "Notes", epoch: Epoch(2), since: 3, handles: ["Notes.Business.Effect"], emits: ["Notes.Business.Effect"],
            provides: ["Notes.Business.Snapshot"], observes: [], host: "Notes")
        let host = ClusterPicture.Host(
            id: "Notes", endpoint: "ipc:///run/demo/sockets/Notes.ipc", tapEndpoint: "ipc:///run/demo/sockets/Notes.tap")
        let module = ClusterStatus.Module(
            id: "Notes", version: "1.0.0", kind: "domain", state: ModuleState(.ready), host: "Notes", pid: 4711, epoch: Epoch(2),
            restarts: 0, counters: ModuleCounters(), handles: member.handles, emits: member.emits, imports: [],
            directory: "/run/demo/packed/Notes/1.0.0-5f0c", readyMilliseconds: 18)
        return ClusterStatus(
            brokerPid: 4702, supervisorPid: 4700, phase: .open,
            picture: ClusterPicture(version: 7, members: [member], hosts: [host]), modules: [module], notes: [])
    }
}
