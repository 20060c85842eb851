import Relux
@testable import ReluxBus
import ReluxControl
import Testing

@Suite struct MarkerTests {
    @Test func `a marker comes behind all other subscriptions and is unique for each connection`() {
        var bench = CoreBench()
        _ = bench.add("Here")
        let actions = bench.picture(
            1, ["Here", "B", "C"].map { CoreBench.member($0, on: HostID(rawValue: $0 == "Here" ? "here" : $0.rawValue)) })
        #expect(actions.connected == ["B", "C"])
        #expect(Set(actions.markers).count == 2)
        let subscriptions = actions.compactMap { if case .subscribe(let prefix) = $0 { prefix.first == 0xFF } else { nil } }
        #expect(subscriptions.suffix(2) == [true, true] && !subscriptions.dropLast(2).contains(true))
    }

    @Test func `only the host that was asked clears its marker, and then this one has joined`() throws {
        var bench = CoreBench.paired()
        #expect(!bench.core.isJoined && bench.core.unansweredHosts == ["there"])
        let asked = try #require(bench.core.peers["there"]?.marker)
        let foreign = Frame(
            topic: "~ready", publisher: "elsewhere", epoch: Epoch(0), records: [.ready(ReadyRecord(marker: asked[...], streams: []))])
        #expect(bench.core.receive(bench.core.subscription(for: asked) + (try foreign.encoded()), now: .zero).joins == 0)
        #expect(bench.core.unansweredHosts == ["there"])
        #expect(try bench.answer().joins == 1)
        #expect(bench.core.isJoined)
    }

    @Test func `an unanswered marker is asked again under a fresh name, each time after a longer wait`() throws {
        var bench = CoreBench.paired()
        var names = Set([bench.core.peers["there"]?.marker])
        var waits: [Duration] = []
        while waits.count < 5 {
            let asked = bench.core.peers["there"]!.askedAt
            let actions = bench.tick()
            guard !actions.markers.isEmpty else { continue }
            names.insert(bench.core.peers["there"]?.marker)
            waits.append(bench.now - asked)
        }
        #expect(names.count == 6)
        #expect(zip(waits, [1, 2, 4, 8, 8]).allSatisfy { $0 >= .seconds($1) && $0 <= .seconds($1) + HeadClock.interval })
        _ = try bench.answer()
        #expect(bench.core.isJoined)
        while !bench.tick().isEmpty {}
        #expect(bench.core.nextTick == nil)
    }

    @Test func `a marker is answered with all heads, and where each recipient starts`() throws {
        var bench = CoreBench.paired()
        for sequence in UInt64(1)...3 { _ = bench.emit(sequence, to: sequence == 1 ? [] : ["There"]) }
        _ = bench.settle(9)
        let streams = try #require(bench.marked().ready).streams
        let told = Dictionary(
            uniqueKeysWithValues: streams.map { stream in
                (stream.topic, "\(stream.head) \(stream.starts.map { "\($0.recipient) \($0.after)" })")
            })
        #expect(told == [
            "~head.Here": "0 []", CoreBench.work: #"3 ["There 1"]"#, .settlements(of: "There"): #"\#(CoreBench.start + 1) ["There \#(CoreBench.start)"]"#,
        ])
        #expect(bench.core.isHeard)
    }

    @Test(arguments: [[UInt8]](arrayLiteral: [], [0xFF], Array("Work".utf8), BusCore.markerPrefix, BusCore.markerPrefix + [1, 2, 3]))
    func `what is no marker is not answered`(_ subscription: [UInt8]) {
        var bench = CoreBench.paired()
        #expect(bench.core.subscribed(subscription, now: .zero).isEmpty)
    }
}
