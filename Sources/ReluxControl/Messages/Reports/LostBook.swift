package import Relux

/// The lost effects of one module, counted by recipient: the whole of what its journal says, and no news. Told again it changes nothing.
package struct LostBook: Codable, Sendable, Hashable {
    /// The life of the module that tells it. What a later life tells is in its place, also when that is less: its journal may have begun anew.
    package let epoch: Epoch
    package private(set) var by: [ModuleID: UInt64] = [:]
    /// Losses with further recipients, whose names have no end while a cluster lives.
    package private(set) var others: UInt64 = 0

    /// How many names are told apart.
    package static let nameLimit = 256

    package init(epoch: Epoch, _ lost: [ModuleID: UInt64] = [:], others: UInt64 = 0) {
        self.epoch = epoch
        self.others = others
        for (recipient, count) in lost.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) { book(count, with: recipient) }
    }

    package var isEmpty: Bool { by.isEmpty && others == 0 }

    package mutating func book(_ count: UInt64 = 1, with recipient: ModuleID) {
        guard count > 0 else { return }
        if by[recipient] != nil || by.count < Self.nameLimit { by[recipient, default: 0].grow(by: count) } else { others.grow(by: count) }
    }
}
