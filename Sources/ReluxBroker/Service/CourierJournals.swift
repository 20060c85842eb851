import Relux
package import ReluxBus
package import ReluxControl
import ReluxLedger
package import ReluxWire

/// The journals of the node, as the courier looks at them.
package protocol CourierJournals {
    /// Modules that have a directory among the journals, in any order.
    var named: [ModuleID] { get }
    /// nil when there is no journal, or none that can be read.
    func ledger(of module: ModuleID) -> CourierLedger?
    /// Whether there is one, and it could not be read when it was asked for last.
    func isUnreadable(_ module: ModuleID) -> Bool
    /// What was read of it survives the loss of power: brought to the disk now if need be.
    func isOnDisk(_ module: ModuleID) -> Bool
    /// In doubt there is one.
    func hasJournal(_ module: ModuleID) -> Bool
}

extension CourierJournals {
    package func isUnreadable(_ module: ModuleID) -> Bool { false }

    /// The courier's word on a question.
    ///
    /// - Parameters:
    ///   - members: by the latest picture that is on the disk.
    ///   - writers: who is no member, and may still write.
    /// - Returns: nil when the answer would not be the last word; whoever has asked asks again.
    package func answer(
        _ question: CourierQuestion, members: [ModuleID: ClusterPicture.Member], writers: Set<ModuleID> = []
    ) -> CourierAnswer? {
        var retired: [ModuleID] = []
        var observed: Set<Topic> = []
        switch question {
        case .retired:
            retired = named.filter { members[$0] == nil }.sorted()
            if !writers.isDisjoint(with: retired) { return nil }
        case .records(let publisher, _, _, _): if members[publisher] == nil { retired = [publisher] }
        case .heads(let owner, _, _) where writers.contains(owner): return nil
        case .heads(let owner, let askers, _):
            observed = Set(askers.flatMap { members[$0]?.observes ?? [] }).intersection(members[owner]?.provides ?? [])
        }
        var isPartial = false
        var answer = CourierAnswer(to: question, retired: retired, observed: observed) { module in
            let known = ledger(of: module)
            if known == nil, isUnreadable(module) { isPartial = true }
            if case .records = question, known?.ledger.holdsMachine == true, !isOnDisk(module) { return nil }
            return known
        }
        // Somebody may mend it, or give the right to read it: that is no last word.
        switch question {
        case .heads where isPartial: return nil
        case .retired where isPartial: answer.question = question.unnumbered
        default: break
        }
        if case .heads(let publisher, _, _) = question, members[publisher] == nil { answer.isForgotten = !hasJournal(publisher) }
        return answer
    }
}
