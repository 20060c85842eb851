import ReluxWire

extension Relux {
    /// A party where it lies, with its totals.
    ///
    /// Design notes. A party is looked at and changed in place: a copy would cost a retain for each of its fields, and its queue would be
    /// copied whole at the next change. Whoever has much to do with one party, as its drain has, looks its name up once and keeps the seat; a
    /// party that is removed leaves it, so that what comes too late is seen. `@unchecked Sendable`, and its accesses are not checked: it is read and
    /// changed under the exchange's lock only.
    final class Seat: @unchecked Sendable {
        let id: ModuleID
        @exclusivity(unchecked) var party: Party
        @exclusivity(unchecked) var counters = ExchangeState.Counters()
        /// The party was removed; another one of its name has another seat.
        @exclusivity(unchecked) var isLeft = false
        let quickness = Quickness()

        init(_ party: Party) {
            id = party.id
            self.party = party
        }

        /// The party where it lies; what is computed of `party` itself is computed of a copy.
        @inline(__always)
        func look<Result>(_ body: (inout Party) -> Result) -> Result { body(&party) }
    }

    /// The parties of a process by name.
    struct PartyTable: Sendable {
        private var seats: [ModuleID: Seat] = [:]

        func contains(_ id: ModuleID) -> Bool { seats[id] != nil }

        func seat(of id: ModuleID) -> Seat? { seats[id] }

        func read<Result>(_ id: ModuleID, _ body: (inout Party) -> Result) -> Result? { seats[id]?.look(body) }

        mutating func update<Result>(_ id: ModuleID, _ body: (inout Party) -> Result) -> Result? {
            seats[id]?.look(body)
        }

        mutating func insert(_ party: Party) { seats[party.id] = Seat(party) }

        mutating func remove(_ id: ModuleID) -> Seat? {
            guard let seat = seats.removeValue(forKey: id) else { return nil }
            seat.isLeft = true
            return seat
        }
    }
}
