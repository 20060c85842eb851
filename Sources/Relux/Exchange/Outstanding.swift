package import ReluxWire

extension Relux {
    /// The recipients of an effect that have not settled it.
    ///
    /// Design notes. Who has to settle is fixed when the effect is accepted, and mostly the same from one effect to the next: the names are shared,
    /// and a recipient's bit is set until it is through. Of more recipients than bits the names themselves are taken out, until few enough are left.
    package struct Outstanding: Sendable {
        private var recipients: [ModuleID]
        /// The bit of a name's index is set while that one has not settled; all of them as long as there are more names than bits.
        private var open: UInt64

        package init(_ recipients: [ModuleID]) {
            self.recipients = recipients
            open = recipients.count < UInt64.bitWidth ? 1 << UInt64(recipients.count) &- 1 : .max
        }

        private var isCrowded: Bool { recipients.count > UInt64.bitWidth }

        package var isEmpty: Bool { open == 0 }

        /// In the order in which they were fixed.
        package var modules: [ModuleID] {
            if isCrowded { return recipients }
            var left = open
            var modules: [ModuleID] = []
            modules.reserveCapacity(left.nonzeroBitCount)
            while left != 0 {
                modules.append(recipients[left.trailingZeroBitCount])
                left &= left &- 1
            }
            return modules
        }

        package func contains(_ module: ModuleID) -> Bool { index(of: module) != nil }

        /// False when it has settled before, or never had to.
        package mutating func remove(_ module: ModuleID) -> Bool {
            guard let index = index(of: module) else { return false }
            if isCrowded { recipients.remove(at: index) } else { open &= ~(1 << UInt64(index)) }
            return true
        }

        private func index(of module: ModuleID) -> Int? {
            if isCrowded { return recipients.firstIndex(of: module) }
            var left = open
            while left != 0 {
                let index = left.trailingZeroBitCount
                if recipients[index] == module { return index }
                left &= left &- 1
            }
            return nil
        }
    }
}

extension Relux.Outstanding: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.open == right.open && left.recipients == right.recipients || left.modules == right.modules
    }
}
