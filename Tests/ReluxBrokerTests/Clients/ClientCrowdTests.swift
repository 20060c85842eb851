import Testing

@testable import ReluxBroker
@testable import ReluxRegistry

@Suite struct ClientCrowdTests {
    private func process(_ pid: Int32, _ connections: Int) -> ClientCrowd.Process { .init(pid: pid, connections: connections) }

    @Test func `as long as there are few nobody is cut and nothing is said`() {
        var crowd = ClientCrowd(limit: 10)
        #expect(crowd.look([process(1, 3), process(2, 2)]).isEmpty)
        #expect(crowd.open == 5 && crowd.notes.isEmpty)
    }

    @Test func `many are counted, with the process that has the most`() {
        var crowd = ClientCrowd(limit: 10)
        #expect(crowd.look([process(1, 1), process(2, 7), process(3, 2)]).isEmpty)
        #expect(crowd.notes.count == 1)
        #expect(crowd.notes.first?.contains("10 connections, 7 of them process 2") == true)
    }

    @Test func `above the limit the process that has the most is cut by name, and nobody else`() {
        var crowd = ClientCrowd(limit: 10)
        let cut = crowd.look([process(1, 1), process(2, 4), process(3, 8)])
        #expect(cut == [process(3, 8)])
        crowd.end(process(3, 8), name: "greedy")
        #expect(crowd.look([process(1, 1), process(2, 4)]).isEmpty)
        #expect(crowd.notes.count == 1 && crowd.notes.first?.contains("8 connections of process 3 (greedy)") == true)
    }

    @Test func `a process that comes again is named once, with how often and the most that it had`() {
        var crowd = ClientCrowd(limit: 10)
        for count in [11, 14, 12] { crowd.end(process(3, count), name: "greedy") }
        #expect(crowd.notes.count == 1)
        #expect(crowd.notes.first?.contains("14 connections of process 3 (greedy) were ended 3 times:") == true, "\(crowd.notes)")
    }

    @Test func `between two looks no more come than are a little above the limit, and whoever found no room is counted`() {
        var crowd = ClientCrowd(limit: 32)
        #expect(crowd.look([process(1, 3)]).isEmpty && crowd.room == 31)
        #expect(crowd.look([process(1, 34)]).count == 1 && crowd.room == 34)
        #expect(crowd.look([]).isEmpty && crowd.notes.isEmpty)
        crowd.turnedAway = 7
        #expect(crowd.notes.count == 1 && crowd.notes.first?.hasPrefix("7 connections were turned away at the door: clients had 34") == true)
        // The door is closed during a look; a client that it turns away connects again.
        var calm = ClientCrowd(limit: 32)
        #expect(calm.look([process(1, 12)]).isEmpty)
        calm.turnedAway = 1
        #expect(calm.notes.isEmpty)
    }

    @Test func `as many are cut as have to be, and what is said of them is bounded`() {
        var crowd = ClientCrowd(limit: 10)
        let cut = crowd.look((1...30).map { process($0, 1) })
        #expect(cut.count == 20)
        for process in cut { crowd.end(process, name: "") }
        #expect(crowd.look([]).isEmpty)
        #expect(crowd.notes.count == 17 && crowd.notes.last?.contains("4 times more") == true)
    }
}
