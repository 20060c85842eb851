import Relux
@testable import ReluxBus
import ReluxControl
import ReluxPlugin
import SimulationKit
import Testing

@Suite struct BusCoreLimitTests {
    private func core() -> BusCore { BusCore(host: "here", makeMarker: { Array(repeating: 7, count: ReadyRecord.markerByteCount) }) }
    private func marker(of host: String) -> [UInt8] {
        BusCore.markerPrefix + Array(repeating: 1, count: ReadyRecord.markerByteCount) + Array(host.utf8)
    }

    @Test func `markers of hosts that no picture names are kept up to a limit, and count when it names them`() {
        var core = core()
        for n in 0..<1000 { _ = core.subscribed(marker(of: "h\(n)"), now: .zero) }
        #expect(core.peers.joined.isEmpty)
        #expect(core.peers.strangers.count == PeerTable.strangerLimit)
        let hosts = ["h0", "late"].map { ClusterPicture.Host(id: HostID(rawValue: $0), endpoint: $0, tapEndpoint: "") }
        _ = core.apply(ClusterPicture(version: 1, members: [], hosts: hosts), now: .zero)
        #expect(core.peers.joined == ["h0"])
        _ = core.subscribed(marker(of: "late"), now: .zero)
        #expect(core.peers.joined == ["h0", "late"])
        _ = core.apply(ClusterPicture(version: 2, members: [], hosts: []), now: .zero)
        #expect(core.peers.joined.isEmpty)
    }

    @Test func `an effect's record has the contract that its module was built with, or the one that a client went by`() {
        var core = core()
        let declaration = ModuleDeclaration(id: "Here", version: "1.0.0", kind: .domain, handles: [], emits: ["Work", "Other"])
        _ = core.add(declaration, epoch: Epoch(1), contracts: ["Work": 7], now: .zero)
        let said: [(Topic, UInt64)] = [("Work", 0), ("Other", 0), ("Work", 9)]
        let fingerprints = said.enumerated().flatMap { index, entry in
            let appended = Relux.Emission(
                id: EffectID(module: "Here", position: UInt64(index + 1)), topic: entry.0, sequence: UInt64(index + 1), caseName: "a",
                payload: [], memberVersion: 0, recipients: ["Far"], contract: entry.1)
            _ = core.append([appended], wallTime: 0, now: .zero)
            return core.takeSaid().compactMap { said in
                if case .effect(let record) = said.record { record.contractFingerprint } else { nil }
            }
        }
        #expect(fingerprints == [7, 0, 9])
    }

    @Test func `what a module says before it has joined is bounded, counted, and refused at once`() {
        var core = core()
        var refused: [EffectID] = []
        for n in 1...UInt64(EarlyWords.limit + 2) {
            let actions = core.append(
                [
                    Relux.Emission(
                        id: EffectID(module: "Early", position: n), topic: "Work", sequence: n, caseName: "a", payload: [],
                        memberVersion: 0, recipients: ["Far"])
                ], wallTime: 0, now: .zero)
            for case .overloaded(let appended) in actions { refused.append(appended.id) }
        }
        #expect(refused.map(\.position) == [UInt64(EarlyWords.limit) + 1, UInt64(EarlyWords.limit) + 2])
        #expect(core.counters.refusedEarly == 2)
    }
}
