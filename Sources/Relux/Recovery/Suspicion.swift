import ReluxWire

extension Relux {
    /// The effects of a module whose handlers ran when its process died, until each has been run again: pure.
    ///
    /// Design notes. They are run one at a time, in order, before all other input. A suspect that another one waits for goes before
    /// it, or the two would never be alone. Beside a suspect only deliveries of the same root are started, for it may need them, and what
    /// a running handler waits for. A suspect that has not come when the patience is over holds nobody up.
    ///
    /// A suspect that has run for its ``loneliness(after:)`` gets company, or a handler that never ends would keep its module waiting: from then
    /// on others are started as if it were not there. A death is then charged to nobody, and the next life begins with those that have not been
    /// alone for that long. What a run in company needs is company too: there may be more of it at any time.
    ///
    /// No suspect begins alone when the ``budget`` of all is spent, or many that do not end would keep others waiting for long: from then on those
    /// that have not begun are started as other input is, and their deaths are charged to nobody.
    ///
    /// A *carried* suspect was open at an earlier death, but not at the last one, for it was not run again in between. Nobody waits for
    /// it to come; when it has, it too begins with nothing beside it as long as the patience lasts, and one that is condemned does not
    /// begin at all. A death is charged to none of these by its start: what else the process did by then nobody knows.
    struct Suspicion: Sendable {
        struct Attempt: Sendable {
            var suspect: Suspect
            /// No other handler of the module ran when it was started, and others wait for its end or its company: a death until then is its own.
            var isCharged: Bool
        }

        /// Suspects that are not started, in order.
        private var remaining: [Suspect]
        /// Suspects that had not come in time, and the carried ones.
        private var late: [EffectID: Suspect]
        /// Others wait for a late one's turn.
        private var isPatient = true
        private var alone: (run: UInt64, root: EffectID)?
        private var attempts: [UInt64: Attempt] = [:]
        /// The effects whose runs go on in company.
        private var released: Set<EffectID> = []
        private var isSpent = false
        /// When the module was opened, on the node's clock.
        private var opened: Duration?

        /// nil when there is no suspect.
        init?(_ suspects: [Suspect], carried: [Suspect] = []) {
            guard !suspects.isEmpty || !carried.isEmpty else { return nil }
            remaining = suspects
            late = Dictionary(carried.map { ($0.effect, $0) }) { first, _ in first }
        }

        /// Others wait until those that were open at the last death have been run again.
        var holdsUp: Bool { !remaining.isEmpty || !attempts.isEmpty || alone != nil }

        /// Not everything may be started in the order of the queue.
        var isWatching: Bool { holdsUp || (isPatient && !late.isEmpty) }

        var isOver: Bool { remaining.isEmpty && late.isEmpty && attempts.isEmpty && alone == nil }

        var patienceEnds: Duration? { opened.map { $0 + Self.patience } }
        var budgetEnds: Duration? { opened.map { $0 + Self.budget } }

        mutating func begin(now: Duration) { if opened == nil { opened = now } }

        /// Suspects that are not in the queue are not waited for any longer.
        mutating func endPatience(_ queue: FIFO<Delivery>) {
            isPatient = false
            for suspect in remaining where Self.offset(of: suspect.effect, in: queue) == nil { late[suspect.effect] = suspect }
            remaining.removeAll { late[$0.effect] != nil }
        }

        /// No suspect begins alone any more; a suspect that is alone already has its time.
        mutating func endBudget() {
            isSpent = true
            joinOthersIfSpent()
        }

        private mutating func joinOthersIfSpent() {
            guard isSpent, alone == nil else { return }
            isPatient = false
            for suspect in remaining { late[suspect.effect] = suspect }
            remaining = []
        }

        /// Which delivery may be started now, by its distance from the front; nil for none.
        ///
        /// - Parameter running: those that run or await.
        func choice(in queue: FIFO<Delivery>, running: RunTable) -> Int? {
            let isNeeded = { (delivery: Delivery) in Self.isNeeded(delivery, by: running) }
            if let alone { return queue.firstOffset { $0.root == alone.root || isNeeded($0) } }
            guard let first = remaining.first else {
                guard !queue.isEmpty, let next = queue[0] else { return nil }
                guard isPatient, late[next.id] != nil, !isFree(beside: running) else { return 0 }
                return queue.firstOffset(where: isNeeded)
            }
            guard isFree(beside: running) else { return queue.firstOffset(where: isNeeded) }
            guard var chosen = Self.offset(of: first.effect, in: queue) else { return nil }
            // Down from cause to effect; a chain is not longer than the list.
            for _ in remaining {
                guard let cause = queue[chosen]?.id,
                    let deeper = remaining.lazy.compactMap({ Self.offset(of: $0.effect, in: queue) })
                        .first(where: { queue[$0]?.ancestry.contains(cause) == true })
                else { break }
                chosen = deeper
            }
            return chosen
        }

        /// Whether a delivery that has just come behind others may be started, when none of those might.
        ///
        /// A choice among all of them would be made again for each delivery that comes, and a module that recovers has many.
        func admits(_ new: Delivery, running: RunTable) -> Bool {
            if Self.isNeeded(new, by: running) { return true }
            if let alone { return new.root == alone.root }
            guard let first = remaining.first else { return !isPatient || late.isEmpty }
            return isFree(beside: running) && new.id == first.effect
        }

        /// Others are started as if these did not run: what is in company, and what that needs, but for a suspect that has still to be alone.
        private func isFree(beside running: RunTable) -> Bool {
            running.allSatisfy { run, known in
                released.contains(known.effect) || attempts[run] == nil && known.ancestry.contains(where: released.contains)
            }
        }

        private static func isNeeded(_ delivery: Delivery, by running: RunTable) -> Bool {
            running.contains { delivery.ancestry.contains($0.effect) }
        }

        /// True when the started delivery is a suspect.
        ///
        /// - Parameter running: those that run or await, without this one.
        mutating func started(_ delivery: Delivery, run: UInt64, beside running: RunTable) -> Bool {
            if let index = remaining.firstIndex(where: { $0.effect == delivery.id }) {
                attempts[run] = Attempt(suspect: remaining.remove(at: index), isCharged: running.isEmpty)
                if alone == nil { alone = (run, delivery.root) }
                return true
            }
            guard let suspect = late.removeValue(forKey: delivery.id) else { return false }
            if alone == nil, isPatient, isFree(beside: running) { alone = (run, delivery.root) }
            attempts[run] = Attempt(suspect: suspect, isCharged: false)
            return true
        }

        func attempt(of run: UInt64) -> Attempt? { attempts[run] }

        mutating func ended(_ run: UInt64, of effect: EffectID) {
            released.remove(effect)
            stopWaiting(for: run)
        }

        /// Lets a run go on in company.
        mutating func release(_ run: UInt64, of effect: EffectID) {
            released.insert(effect)
            stopWaiting(for: run)
        }

        private mutating func stopWaiting(for run: UInt64) {
            attempts[run] = nil
            if alone?.run == run { alone = nil }
            joinOthersIfSpent()
        }

        private static func offset(of effect: EffectID, in queue: FIFO<Delivery>) -> Int? {
            queue.firstOffset { $0.id == effect }
        }
    }
}

extension Relux.Delivery {
    /// The effect that all of its chain comes from.
    var root: EffectID { ancestry.first ?? id }
}
