import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxRegistry
import ReluxSystem
import ReluxZeroMQ
import Synchronization

/// Answers for publishers without a process, from their journals.
///
/// Design notes. It works on a thread of its own, so that no journal, however long, holds up the broker's loop. Questions are bounded for each
/// asker, and what finds no room is dropped: whoever asked asks again. Journals are only read; what was read is kept and read on from there.
final class Courier: Sendable {
    private struct Question: Sendable {
        var question: CourierQuestion
        var asker: ConnectionID?
        var answer: @Sendable (CourierAnswer) -> Void
    }
    private struct Queue: Sendable {
        var questions: [Question] = []
        var members: [ModuleID: ClusterPicture.Member]?
        var writers: Set<ModuleID> = []
        var declared: Set<ModuleID> = []
        var remembered: Set<ModuleID> = []
        var isEnding = false
    }
    /// Questions of one asker that wait.
    static let limit = 64

    private let queue = Mutex(Queue())
    private let wakeUp: WakeUp
    private let onForgotten: @Sendable (CourierAnswer) -> Void
    private let onMissed: @Sendable (ModuleID) -> Void
    private let onShares: @Sendable ([ModuleID: Int]) -> Void
    private let thread: Mutex<BlockingThread?>

    /// - Throws: when the process may have no more threads or descriptors.
    /// - Parameters:
    ///   - onShares: told what journals may keep when all of them take more than the node's cap; on the courier's thread.
    ///   - onMissed: told of a retired journal that is removed once the registry remembers nothing of it; on the courier's thread.
    ///   - onForgotten: what every host is told when a retired journal was removed; on the courier's thread.
    init(
        run: RunDirectory, limits: JournalLimits, onShares: @escaping @Sendable ([ModuleID: Int]) -> Void,
        onMissed: @escaping @Sendable (ModuleID) -> Void,
        onForgotten: @escaping @Sendable (CourierAnswer) -> Void
    ) throws {
        self.onShares = onShares
        self.onMissed = onMissed
        self.onForgotten = onForgotten
        wakeUp = try WakeUp()
        thread = Mutex(nil)
        let shelf = try JournalShelf(run: run, limits: limits, environment: .live())
        let new = try BlockingThread(name: "relux-courier") { [self] in serve(shelf) }
        thread.withLock { $0 = new }
    }

    /// From any thread; never waits. The answer is given on the courier's thread, or never.
    func ask(_ question: CourierQuestion, for asker: ConnectionID?, answer: @escaping @Sendable (CourierAnswer) -> Void) {
        let isTaken = queue.withLock { queue in
            let waiting = queue.questions.filter { $0.asker == asker }
            guard waiting.count < Self.limit, !waiting.contains(where: { $0.question == question }) else { return false }
            queue.questions.append(Question(question: question, asker: asker, answer: answer))
            return true
        }
        if isTaken { wakeUp.signal() }
    }

    /// Names the members and the retired journals in one step; else a former member would have a last word while it still writes.
    ///
    /// - Parameters:
    ///   - picture: nil when it is the one before.
    ///   - writers: no members any more, and may still write their journals: what they leave for others is not known yet.
    ///   - declared: whoever the registry knows.
    ///   - remembered: whose journals the registry would miss.
    func apply(picture: ClusterPicture?, writers: Set<ModuleID>, declared: Set<ModuleID>, remembered: Set<ModuleID>) {
        let members = picture.map { Dictionary($0.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first }) }
        queue.withLock { queue in
            if let members { queue.members = members }
            (queue.writers, queue.declared, queue.remembered) = (writers, declared, remembered)
        }
    }

    /// Returns when the thread has ended; questions that wait stay unanswered.
    func stop() {
        queue.withLock { $0.isEnding = true }
        wakeUp.signal()
        thread.withLock { $0 }?.join()
    }

    private func serve(_ shelf: JournalShelf) {
        var poller = Poller()
        poller.add(fileDescriptor: wakeUp.fileDescriptor)
        while true {
            guard (try? poller.wait(milliseconds: JournalShelf.patience)) != nil else { return }
            wakeUp.drain()
            if let shares = shelf.shares() { onShares(shares) }
            while let next = queue.withLock({ $0.questions.isEmpty || $0.isEnding ? nil : $0.questions.removeFirst() }) {
                // The retired journals are known once the registry has named them.
                let (known, writers) = queue.withLock { ($0.members, $0.writers) }
                guard let members = known, let answer = shelf.answer(next.question, members: members, writers: writers) else { continue }
                next.answer(answer)
            }
            if queue.withLock({ $0.isEnding }) { return }
            let (members, declared, remembered) = queue.withLock { ($0.members, $0.declared, $0.remembered) }
            guard let members else { continue }
            let tidied = shelf.tidy(members: members, declared: declared, remembered: remembered)
            for module in tidied.missed { onMissed(module) }
            for module in tidied.removed {
                onForgotten(CourierAnswer(to: .heads(of: module, for: [], number: 0), frames: [], isForgotten: true))
            }
        }
    }
}
