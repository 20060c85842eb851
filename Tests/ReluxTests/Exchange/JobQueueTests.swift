import Testing

@testable import Relux

@Suite struct JobQueueTests {
    /// The queue where expectations can change it.
    private final class Queue {
        private var queue: Relux.JobQueue<Int>

        init(pumpLimit: Int) { queue = .init(pumpLimit: pumpLimit) }

        var pumps: Int { queue.pumps }
        var pumpCame: Int? { queue.pumpCame() }
        var takenByPump: Int? { queue.takeForPump() }
        var takenByHelper: Int? { queue.takeForHelper() }
        var wantsPump: Bool { queue.wantsPump() }
        var look: (pump: Bool, goesOn: Bool) { queue.look() }

        func add(_ job: Int, isQuick: Bool = true, isCovered: Bool = false) -> Relux.JobQueue<Int>.Wish {
            queue.add(job, isQuick: isQuick, isCovered: isCovered)
        }
        func yield() { queue.pumpYields() }
    }

    @Test func `a pump is asked for each job that nobody is about to take, up to the limit`() {
        let queue = Queue(pumpLimit: 2)
        #expect(queue.add(1).pump)
        #expect(queue.add(2).pump)
        #expect(!queue.add(3).pump)
        #expect(queue.pumps == 2)
    }

    @Test func `a pump that was asked for covers one job until it has come`() {
        let queue = Queue(pumpLimit: 4)
        #expect(queue.add(1).pump)
        #expect(queue.pumpCame == 1)
        // It is in its job now, and nobody knows for how long.
        #expect(queue.add(2).pump)
    }

    @Test func `what a runner leaves behind is left to it, but for what is more than it can take`() {
        let queue = Queue(pumpLimit: 4)
        #expect(queue.add(1, isCovered: true) == .init(pump: false, watch: true))
        #expect(queue.add(2, isCovered: true) == .init(pump: true, watch: false))
        #expect(queue.add(3, isCovered: true).pump)
    }

    @Test func `a pump takes all in order, and goes when nothing is left`() {
        let queue = Queue(pumpLimit: 1)
        #expect(queue.add(1, isQuick: false).pump)
        #expect(!queue.add(2).pump)
        #expect(queue.pumpCame == 1)
        #expect(queue.takenByPump == 2)
        #expect(queue.takenByPump == nil)
        #expect(queue.pumps == 0)
        #expect(queue.add(3).pump)
    }

    @Test func `a pump that comes too late goes again`() {
        let queue = Queue(pumpLimit: 2)
        #expect(queue.add(1).pump)
        #expect(queue.takenByHelper == 1)
        #expect(queue.pumpCame == nil)
        #expect(queue.pumps == 0)
    }

    @Test func `a helper stops at the first job that is not quick, and a pump is wanted for it`() {
        let queue = Queue(pumpLimit: 2)
        #expect(!queue.add(1, isCovered: true).pump)
        #expect(queue.takenByHelper == 1)
        #expect(!queue.add(2, isQuick: false, isCovered: true).pump)
        #expect(queue.takenByHelper == nil)
        #expect(queue.wantsPump)
        #expect(!queue.wantsPump)
        #expect(queue.pumpCame == 2)
    }

    @Test func `a pump that makes room for others is one that was asked for`() {
        let queue = Queue(pumpLimit: 1)
        #expect(queue.add(1).pump)
        #expect(queue.pumpCame == 1)
        queue.yield()
        #expect(!queue.add(2).pump)
        #expect(queue.pumpCame == 2)
    }

    @Test func `a job that nobody takes from one look to the next gets a pump`() {
        let queue = Queue(pumpLimit: 2)
        #expect(queue.add(1, isCovered: true).watch)
        #expect(queue.look == (true, true))
        // One is enough for it.
        #expect(queue.look == (false, true))
        #expect(queue.pumpCame == 1)
    }

    @Test func `looking goes on while jobs are taken, and ends when none was`() {
        let queue = Queue(pumpLimit: 2)
        #expect(queue.add(1, isCovered: true).watch)
        #expect(queue.takenByHelper == 1)
        #expect(queue.look == (false, true))
        #expect(!queue.add(2, isCovered: true).watch)
        #expect(queue.takenByHelper == 2)
        #expect(queue.look == (false, true))
        #expect(queue.look == (false, false))
        #expect(queue.add(3, isCovered: true).watch)
    }
}
