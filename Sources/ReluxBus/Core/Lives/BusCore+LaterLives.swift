import Relux
import ReluxControl

extension BusCore {
    /// Lives of modules elsewhere that were heard here and that the broker does not know: an older copy of its file told it so. It has to give a
    /// later one. What the journals here have heard the broker reads itself before it gives any.
    mutating func noteLaterLives(of modules: Set<ModuleID>) {
        for id in modules where lives.heard[id] != nil || counters.laterLives[id] != nil {
            guard let heard = lives.heard[id], let member = membership.members[id], member.host != nil, heard > member.epoch, heard <= .limit else {
                counters.laterLives[id] = nil
                continue
            }
            counters.laterLives[id] = heard
        }
    }
}
