import ReluxWire

extension Relux {
    /// The unsettled effects of the modules here, by module and in order of positions. Pure.
    ///
    /// Design notes. A module's positions rise. What it says goes to the end, what is settled mostly lies at the front, so an entry's place is
    /// counted from the first one; it is searched for only where positions were left out. A settled entry stays as an empty one until the front or
    /// half of all is empty.
    struct PendingTable: Sendable {
        typealias Element = (effect: EffectID, entry: ExchangeState.Pending)

        private struct Slot: Sendable {
            var position: UInt64
            /// nil when it is settled.
            var entry: ExchangeState.Pending?
        }

        private struct Row: Sendable {
            let module: ModuleID
            var slots: [Slot] = []
            /// Index of the first slot that is not empty, or the end.
            var first = 0
            var count = 0

            /// Where the slot is, or where it would have to be put in.
            func index(of position: UInt64) -> Int {
                guard first < slots.count, position >= slots[first].position else { return first }
                // Mostly no position is left out.
                let offset = position - slots[first].position
                if offset < UInt64(slots.count - first) {
                    let index = first + Int(offset)
                    if slots[index].position == position { return index }
                } else if slots[slots.count - 1].position < position {
                    return slots.count
                }
                var (low, high) = (first, slots.count)
                while low < high {
                    let middle = (low + high) / 2
                    if slots[middle].position < position { low = middle + 1 } else { high = middle }
                }
                return low
            }

            func entry(_ position: UInt64, at index: Int) -> ExchangeState.Pending? {
                index < slots.count && slots[index].position == position ? slots[index].entry : nil
            }

            mutating func set(_ entry: ExchangeState.Pending, at position: UInt64) {
                let index = index(of: position)
                if index < slots.count, slots[index].position == position {
                    if slots[index].entry == nil { count += 1 }
                    slots[index].entry = entry
                    return
                }
                count += 1
                let slot = Slot(position: position, entry: entry)
                if index == slots.count { slots.append(slot) } else { slots.insert(slot, at: index) }
            }

            mutating func remove(at index: Int) {
                slots[index].entry = nil
                count -= 1
                compact()
            }

            private mutating func compact() {
                while first < slots.count, slots[first].entry == nil { first += 1 }
                if first == slots.count {
                    slots.removeAll(keepingCapacity: first <= 1024)
                    first = 0
                } else if first >= 1024, first * 2 >= slots.count {
                    slots.removeFirst(first)
                    first = 0
                } else if slots.count - first > 1024, count * 2 < slots.count - first {
                    slots.removeAll { $0.entry == nil }
                    first = 0
                }
            }
        }

        private var rows: [Row] = []
        private var places: [ModuleID: Int] = [:]
        /// The row that was looked at last; mostly the next look is at the same.
        private var last = 0
        private(set) var count = 0

        var isEmpty: Bool { count == 0 }

        /// In no order.
        var all: [Element] {
            rows.flatMap { row in
                row.slots.compactMap { slot in slot.entry.map { (EffectID(module: row.module, position: slot.position), $0) } }
            }
        }

        /// Where an entry lies, until the table changes.
        struct Place {
            fileprivate var row: Int
            fileprivate var index: Int
        }

        mutating func find(_ effect: EffectID) -> (entry: ExchangeState.Pending, place: Place)? {
            guard let row = row(of: effect.module) else { return nil }
            last = row
            let index = rows[row].index(of: effect.position)
            guard let entry = rows[row].entry(effect.position, at: index) else { return nil }
            return (entry, Place(row: row, index: index))
        }

        mutating func remove(at place: Place) {
            rows[place.row].remove(at: place.index)
            count -= 1
        }

        subscript(effect: EffectID) -> ExchangeState.Pending? {
            get {
                guard let row = row(of: effect.module) else { return nil }
                return rows[row].entry(effect.position, at: rows[row].index(of: effect.position))
            }
            set {
                guard let newValue else {
                    if let found = find(effect) { remove(at: found.place) }
                    return
                }
                if let row = row(of: effect.module) {
                    last = row
                } else {
                    last = rows.count
                    places[effect.module] = last
                    rows.append(Row(module: effect.module))
                }
                let row = last
                let before = rows[row].count
                rows[row].set(newValue, at: effect.position)
                count += rows[row].count - before
            }
        }

        /// Forgets the names of modules that nothing is kept of.
        mutating func shrink() {
            rows.removeAll { $0.count == 0 }
            places = [:]
            for (index, row) in rows.enumerated() { places[row.module] = index }
            last = 0
        }

        private func row(of module: ModuleID) -> Int? {
            if last < rows.count, rows[last].module == module { return last }
            return places[module]
        }
    }
}
