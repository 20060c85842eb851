import Relux
import Testing

@Suite struct SnapshotsTests {
    private struct Level: Relux.StateSnapshot {
        var height: Int
    }

    @Test func `each reader gets what is published since it came, the newest when it is slow, and first what it begins with`() async {
        let readers = Snapshots<Level>()
        var (early, late) = (readers.stream().makeAsyncIterator(), readers.stream(from: Level(height: 0)).makeAsyncIterator())
        #expect(await late.next() == Level(height: 0))
        for height in 1...3 { readers.publish(Level(height: height)) }
        #expect(await early.next() == Level(height: 3))
        #expect(await late.next() == Level(height: 3))
        readers.publish(Level(height: 4))
        #expect(await early.next() == Level(height: 4))
        var last = readers.stream().makeAsyncIterator()
        readers.publish(Level(height: 5))
        #expect(await last.next() == Level(height: 5))
    }

    @Test func `the streams end with the state that they are of`() async {
        var readers: Snapshots<Level>? = Snapshots()
        let stream = readers?.stream(from: Level(height: 1))
        readers = nil
        var seen: [Level] = []
        if let stream { for await level in stream { seen.append(level) } }
        #expect(seen == [Level(height: 1)])
    }
}
