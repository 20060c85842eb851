import Relux

extension BusCore {
    /// Lives of modules elsewhere that were heard here, or by earlier lives of our modules, and that the broker does not know: it was told so by an
    /// older copy of its file, and of the module's journal. It has to give a later one.
    mutating func noteLaterLives(of modules: Set<ModuleID>) {
        guard !modules.isEmpty else { return }
        var heard = heardEpochs.filter { modules.contains($0.key) }
        for local in locals.values {
            for (stream, done) in local.ledger.cursors where modules.contains(stream.publisher) {
                guard let last = done.ranges.last?.upperBound else { continue }
                heard[stream.publisher] = max(heard[stream.publisher] ?? Epoch(0), Epoch(start: last))
            }
        }
        for (id, epoch) in heard where locals[id] == nil {
            guard let member = members[id], member.host != nil, epoch > member.epoch, epoch <= .limit else {
                counters.laterLives[id] = nil
                continue
            }
            counters.laterLives[id] = epoch
        }
    }
}
