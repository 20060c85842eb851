import Relux
import Testing

@testable import ReluxBus

@Suite struct ConflationTests {
    private func snapshot(_ version: UInt64, of owner: ModuleID) throws -> BusCore.Action {
        let topic = try #require(Topic.snapshots(of: "Count"))
        let record = SnapshotRecord(version: version, payload: [UInt8(truncatingIfNeeded: version)])
        return .publish(StreamID(publisher: owner, topic: topic), Epoch(1), .snapshot(record), tapOnly: false)
    }

    private func versions(_ actions: [BusCore.Action]) -> [UInt64] {
        actions.compactMap { if case .publish(_, _, .snapshot(let record), _) = $0 { record.version } else { nil } }
    }

    /// The value that is said again for a newcomer is decided on one thread and the next value on another: either may be queued first.
    @Test(arguments: [[1, 2], [2, 1], [2, 1, 2], [1, 2, 2]] as [[UInt64]])
    func `of one batch the newest value of a state leaves, in whatever order they were queued`(_ queued: [UInt64]) throws {
        let actions = try queued.map { try snapshot($0, of: "Owner") }
        #expect(versions(BusCore.Action.conflated(actions)) == [2])
    }

    @Test func `values of several states and all else keep their order`() throws {
        let actions = try [snapshot(3, of: "A"), .joined, snapshot(7, of: "B"), snapshot(2, of: "A")]
        let left = BusCore.Action.conflated(actions)
        #expect(versions(left) == [3, 7])
        #expect(left.count == 3)
    }
}
