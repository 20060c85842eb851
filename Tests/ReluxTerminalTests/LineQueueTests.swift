import Testing

@testable import ReluxTerminal

@Suite struct LineQueueTests {
    var queue = LineQueue(leave: "quit")

    @Test mutating func `lines are entered one after the other, in order`() {
        #expect(queue.on(.line("a")) == .enter("a"))
        #expect(queue.on(.line("b")) == .nothing && queue.on(.line("c")) == .nothing)
        #expect(queue.notice == "2 more behind 'a'")
        #expect(queue.on(.done) == .enter("b"))
        #expect(queue.on(.done) == .enter("c"))
        #expect(queue.notice == nil)
        #expect(queue.on(.done) == .nothing)
        #expect(queue.on(.line("d")) == .enter("d"))
    }

    @Test mutating func `the end waits for what was typed before it, and nothing behind it is done`() {
        #expect(queue.on(.line("a")) == .enter("a"))
        #expect(queue.on(.line("b")) == .nothing && queue.on(.line("quit")) == .nothing && queue.on(.line("c")) == .nothing)
        #expect(queue.notice == "waits for 'a'; 'quit' again leaves at once")
        #expect(queue.on(.done) == .enter("b"))
        #expect(queue.on(.done) == .end)
    }

    @Test mutating func `the end typed twice waits for nothing`() {
        #expect(queue.on(.line("a")) == .enter("a"))
        #expect(queue.on(.line("quit")) == .nothing)
        #expect(queue.on(.line("quit")) == .end)
    }

    @Test mutating func `who has nothing to do ends at once`() {
        #expect(queue.on(.line("quit")) == .end)
    }

    @Test mutating func `the end of the input waits for what was typed before it`() {
        #expect(queue.on(.line("a")) == .enter("a"))
        #expect(queue.on(.line("b")) == .nothing && queue.on(.closed) == .nothing)
        #expect(queue.on(.done) == .enter("b"))
        #expect(queue.on(.done) == .end)
        var idle = LineQueue(leave: "quit")
        #expect(idle.on(.closed) == .end)
    }
}
