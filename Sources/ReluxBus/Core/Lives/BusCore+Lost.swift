import Relux
import ReluxControl
import ReluxLedger

/// The books of lost effects, as they are told.
extension BusCore {
    /// A first life has lost nothing yet; of a later one it is told, too, that its journal has nothing.
    mutating func openLostBook(of module: ModuleID) {
        guard let local = locals[module] else { return }
        let book = LostBook(epoch: local.epoch, local.ledger.lost)
        counters.lost[module] = book.isEmpty && local.epoch <= Epoch(1) ? nil : book
    }

    mutating func noteLost(_ count: Int, of module: ModuleID, with recipient: ModuleID) {
        guard let epoch = locals[module]?.epoch else { return }
        counters.lost[module, default: LostBook(epoch: epoch)].book(UInt64(count), with: recipient)
    }

    /// The last word of modules that have left was told long ago.
    mutating func forgetLostBooks() {
        let gone = counters.lost.filter { locals.index(forKey: $0.key) == nil }
        guard gone.count > Self.namesKept else { return }
        for (id, _) in gone.sorted(by: { ($0.value.epoch, $0.key) < ($1.value.epoch, $1.key) }).prefix(gone.count - Self.namesKept * 3 / 4) {
            counters.lost[id] = nil
        }
    }
}
