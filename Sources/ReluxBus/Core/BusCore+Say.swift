package import Relux
import ReluxControl
import ReluxJournal
package import ReluxLedger

extension BusCore {
    /// Takes the parts that go into the journals now. Frames that were asked for in the meantime leave only when these were appended.
    package mutating func takeDraft() -> Result<[JournalPart], JournalRefusal> {
        let taken = draft.take()
        if case .success(let parts) = taken {
            for part in parts { for run in part.runs { keep(run.run, of: part.module) } }
        }
        return taken
    }

    /// The bytes of what the module has said on the topic since the last batch may be asked for now.
    mutating func keepDrafted(_ topic: Topic, of module: ModuleID) {
        guard let place = locals.index(forKey: module), within(place, { $0.ledger.streams[topic]?.isBehindItsRuns == true }) else { return }
        for run in draft.runs(on: topic, of: module) { keep(run, of: module) }
    }

    private mutating func keep(_ run: JournalRun, of module: ModuleID) {
        guard run.sequences != nil, let place = locals.index(forKey: module) else { return }
        within(place) { $0.ledger.keep(run) }
    }

    /// A record that the module's journal alone gets; false when the module is not here.
    @discardableResult
    package mutating func write(_ record: WireRecord, on topic: Topic, of module: ModuleID) -> Bool {
        guard locals.index(forKey: module) != nil else { return false }
        note(record, on: topic, of: module)
        return true
    }

    /// Takes the modules whose journals have to be on the disk before what follows from the batch is let out.
    package mutating func takePressing() -> Set<ModuleID> {
        machine.takePressing()
    }

    /// Makes the module's journal go to the disk before anybody hears of what the module says now.
    mutating func press(_ module: ModuleID, now: Duration) {
        machine.press(module)
        // Then it is seen whether the module is through with it.
        clock.headSoon(now)
    }

    package var hasUnwritten: Bool { !draft.isEmpty }

    /// The module says a record: into its ledger, and into its journal with the next batch.
    mutating func note(_ record: WireRecord, on topic: Topic, of module: ModuleID) {
        guard let place = locals.index(forKey: module) else { return }
        note(record, on: topic, of: module, at: place)
    }

    private mutating func note(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, at place: Dictionary<ModuleID, Local>.Index,
        reaching reach: SaidRun.Reach = .nobody
    ) {
        let epoch = within(place) { local in
            local.ledger.apply(topic, record)
            return local.epoch
        }
        draft.append(record, on: topic, of: module, reaching: reach, epoch: epoch)
    }

    /// The same by a module whose place is known; others hear it when it is in the journal.
    mutating func say(
        _ record: WireRecord, on topic: Topic, of module: ModuleID, at place: Dictionary<ModuleID, Local>.Index,
        to reach: SaidRun.Reach = .everyone
    ) {
        note(record, on: topic, of: module, at: place, reaching: reach)
    }

    /// A dispatch of the module was not accepted: into its journal with all that this one stands for, and to the taps by itself.
    mutating func refused(
        _ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool, wallTime: UInt64, _ actions: inout [Action]
    ) {
        guard let place = locals.index(forKey: refused.module) else {
            guard count > 0 else { return }
            late.keep(Self.record(of: refused, wallTime: wallTime), count, of: refused.module)
            counters.late = late.notes
            return
        }
        var record = Self.record(of: refused, wallTime: wallTime)
        if isShown {
            actions.append(.publish(StreamID(publisher: refused.module, topic: RefusedRecord.topic), within(place) { $0.epoch }, .refused(record), tapOnly: true))
        }
        guard count > 0 else { return }
        record.count = count
        note(.refused(record), on: RefusedRecord.topic, of: refused.module, at: place)
    }

    private static func record(of refused: Relux.RefusedDispatch, wallTime: UInt64) -> RefusedRecord {
        func cut(_ text: String) -> String { text.cut(to: RefusedRecord.textByteLimit) }
        let site = refused.site
        return RefusedRecord(
            count: 1, reason: cut(refused.failure.code), topic: cut(refused.topic), caseName: refused.caseName, ancestry: refused.ancestry,
            site: CallSite(file: cut(site.file), line: site.line, function: cut(site.function)), label: cut(refused.label),
            wallTimeMilliseconds: wallTime, message: cut(refused.failure.message))
    }

    /// Part of a stream that the module hears, or of its settlements that their publisher has taken, is done without a word.
    mutating func noteDone(_ range: ClosedRange<UInt64>, of stream: StreamID, for module: ModuleID) {
        note(
            .cursor(CursorRecord(module: stream.publisher, topic: stream.topic, range: range)), on: CursorRecord.topic,
            of: module)
    }

    /// Effects of a module here have ended for the recipient; nothing is changed where they had ended for it before.
    ///
    /// - Parameter settlement: where in the recipient's settlement stream it says so; 0 when it did not.
    /// - Returns: false when none of them had to be settled.
    @discardableResult
    mutating func end(
        _ effects: EffectRuns, on topic: Topic, of publisher: ModuleID, for recipient: ModuleID, as status: SettledRecord.Status,
        result: ArraySlice<UInt8> = [], settlement: UInt64 = 0
    ) -> Bool {
        let ended = locals.index(forKey: publisher).flatMap { place in
            within(place) {
                $0.ledger.end(effects, on: topic, for: recipient, as: status, result: result, settlement: settlement)
            }
        }
        guard let (acked, byteCount) = ended else {
            let stream = StreamID(publisher: recipient, topic: .settlements(of: publisher))
            if settlement > 0 { noteDone(settlement...settlement, of: stream, for: publisher) }
            return false
        }
        draft.append(.acked(acked), on: AckedRecord.topic, of: publisher)
        if status == .lost { noteLost(acked.effects.count, of: publisher, with: recipient) }
        backlog.add(-byteCount, for: recipient)
        return true
    }

    /// A module's part, where it lies: read through a getter, each of the ledger's tables would be retained.
    @inline(__always)
    mutating func within<Result>(_ place: Dictionary<ModuleID, Local>.Index, _ body: (inout Local) -> Result) -> Result {
        body(&locals.values[place])
    }
}
