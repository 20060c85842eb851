import ReluxWire

extension Relux {
    /// The parties of a process by name.
    ///
    /// A party is looked at and changed where it lies: a copy would cost a retain for each of its fields, and its queue would be
    /// copied whole at the next change.
    struct PartyTable: Sendable {
        private var slots: [ModuleID: Int] = [:]
        private var list: [Party] = []

        func contains(_ id: ModuleID) -> Bool { slots[id] != nil }

        func read<Result>(_ id: ModuleID, _ body: (borrowing Party) -> Result) -> Result? {
            guard let slot = slots[id] else { return nil }
            // The array's own subscript would copy it.
            return list.withUnsafeBufferPointer { body($0[slot]) }
        }

        mutating func update<Result>(_ id: ModuleID, _ body: (inout Party) -> Result) -> Result? {
            guard let slot = slots[id] else { return nil }
            return body(&list[slot])
        }

        mutating func insert(_ party: Party) {
            if let slot = slots[party.id] {
                list[slot] = party
            } else {
                slots[party.id] = list.count
                list.append(party)
            }
        }

        mutating func remove(_ id: ModuleID) -> Party? {
            guard let slot = slots.removeValue(forKey: id) else { return nil }
            list.swapAt(slot, list.count - 1)
            let party = list.removeLast()
            if slot < list.count { slots[list[slot].id] = slot }
            return party
        }
    }
}
