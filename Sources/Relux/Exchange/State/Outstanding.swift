package import ReluxWire

extension Relux {
    /// The recipients of an effect that have not settled it.
    ///
    /// Design notes. Who has to settle is fixed when the effect is accepted: a recipient's bit is set until it is through.
    package struct Outstanding: Sendable {
        package let recipients: Recipients
        package private(set) var open: UInt64
        /// The same for those behind the first 64; nil when there are none.
        private var others: [UInt64]?

        package init(_ recipients: Recipients = []) {
            self.recipients = recipients
            open = Self.bits(recipients.count)
            if recipients.count > 64 { others = stride(from: 64, to: recipients.count, by: 64).map { Self.bits(recipients.count - $0) } }
        }

        /// - Parameter open: the bits of those that have not settled it, of at most 64.
        package init(_ recipients: Recipients, open: UInt64) { (self.recipients, self.open) = (recipients, open) }

        /// ``open`` says all.
        package var isSmall: Bool { others == nil }

        private static func bits(_ count: Int) -> UInt64 { count < 64 ? 1 << UInt64(count) &- 1 : .max }

        package var isEmpty: Bool { open == 0 && others?.allSatisfy { $0 == 0 } ?? true }

        /// In the order in which they were fixed.
        package var modules: [ModuleID] {
            var modules: [ModuleID] = []
            visit { index in
                modules.append(recipients[index])
                return false
            }
            return modules
        }

        package func contains(_ module: ModuleID) -> Bool { index(of: module) != nil }

        /// False when it has settled before, or never had to.
        package mutating func remove(_ module: ModuleID) -> Bool {
            guard let index = index(of: module) else { return false }
            if index < 64 { open &= ~(1 << UInt64(index)) } else { others?[index / 64 - 1] &= ~(1 << UInt64(index % 64)) }
            return true
        }

        private func index(of module: ModuleID) -> Int? { visit { recipients[$0] == module } }

        /// The index of the first that the body says yes to.
        @inline(__always) @discardableResult
        private func visit(_ body: (Int) -> Bool) -> Int? {
            if let index = Self.visit(open, body) { return index }
            for (place, bits) in (others ?? []).enumerated() {
                if let index = Self.visit(bits, { body($0 + (place + 1) * 64) }) { return index + (place + 1) * 64 }
            }
            return nil
        }

        @inline(__always)
        private static func visit(_ bits: UInt64, _ body: (Int) -> Bool) -> Int? {
            var left = bits
            while left != 0 {
                let index = left.trailingZeroBitCount
                if body(index) { return index }
                left &= left &- 1
            }
            return nil
        }
    }
}

extension Relux.Outstanding: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.recipients == right.recipients && left.open == right.open && left.others == right.others || left.modules == right.modules
    }
}
