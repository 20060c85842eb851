import Relux
import ReluxBus
import ReluxWire
import Testing

/// Processes of two builds meet while one replaces the other.
@Suite struct OlderBuildTests {
    private func without(_ keys: Set<String>, _ value: CBORValue) -> CBORValue {
        switch value {
        case .array(let elements): .array(elements.map { without(keys, $0) })
        case .map(let pairs):
            .map(
                pairs.filter { if case .text(let key) = $0.key { !keys.contains(key) } else { true } }
                    .map { .init($0.key, without(keys, $0.value)) })
        default: value
        }
    }

    @Test func `a picture and a status that know no places and no barriers can be read`() throws {
        let member = ClusterPicture.Member(
            module: "Auth", epoch: Epoch(3), since: 2, place: 7, handles: ["Auth.Business.Effect"], emits: [], provides: [], observes: [], host: "auth")
        let picture = ClusterPicture(version: 9, members: [member], hosts: [])
        let barrier = ClusterStatus.Barrier(module: "Auth", isOpen: false, isStuck: true, text: "why")
        let status = ClusterStatus(
            brokerPid: 1, supervisorPid: 2, phase: "open", picture: picture, modules: [], notes: ["odd"], barriers: [barrier])
        let bytes = try CBOR.encode(status)
        #expect(try CBOR.decode(ClusterStatus.self, from: bytes).picture == picture)
        let older = without(["place", "barriers"], try CBORValue(decoding: bytes)).encoded()
        #expect(older.count < bytes.count)
        let read = try CBOR.decode(ClusterStatus.self, from: older)
        #expect(read.barriers.isEmpty)
        #expect(read.picture.members.map { $0.place } == [0])
        #expect(read.picture.members.map { $0.epoch } == [Epoch(3)])
        #expect(read.notes == ["odd"])
    }
}
