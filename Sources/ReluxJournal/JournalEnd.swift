package import ReluxWire

/// How far one life has come in a journal, as whoever reads nothing of it can be told.
package struct JournalEnd: Sendable, Hashable, Codable {
    package let epoch: Epoch
    /// The last that was given out.
    package let position: UInt64
    /// The number of the last batch; 0 while no more is known than that the life has opened the journal.
    package let batch: UInt64

    init(epoch: Epoch, _ numbers: JournalNumbers) {
        self.epoch = epoch
        position = numbers.position
        batch = numbers.batch
    }

    package init(opened epoch: Epoch) {
        self.epoch = epoch
        position = epoch.start
        batch = 0
    }

    /// The last number of the life that is known.
    package var last: UInt64 { Epoch(start: position) == epoch ? position : epoch.start }
}
