import ReluxWire
import Testing

@testable import Relux

@Suite struct CaptureBookTests {
    private func book(_ last: Relux.CapturedState? = nil, version: UInt32 = 1, count: Int = 1) -> Relux.CaptureBook {
        Relux.CaptureBook(
            entries: (0..<count).map { index in
                .init(name: "S\(index)", version: version, last: last, reduced: Set(last?.reduced ?? []))
            })
    }
    private func settled(_ position: UInt64) -> Relux.Settled { settled(.far(position)) }
    private func settled(_ id: EffectID) -> Relux.Settled {
        Relux.Settled(
            id: id, topic: "Work", sequence: id.position, recipient: "M", result: .success, duration: .zero)
    }

    /// One round of the keeper: everything that waits, with the states as `bytes` says.
    private func round(
        _ book: inout Relux.CaptureBook, bytes: [Result<[UInt8], Relux.Failure>]
    ) -> (batch: [Relux.Settled], states: [Relux.CapturedState]) {
        let batch = book.take()
        let readings = book.due().compactMap { index in book.reading(index) { bytes[index] } }
        return book.resolve(batch.map(\.settled), readings.map { ($0, $0.encode()) })
    }

    @Test func `what settles beside it makes no room in a record that names others`() {
        var book = book()
        for number in UInt64(1)...700 { _ = book.reduces(EffectID(module: Self.long, position: number), index: 0) }
        // As many end that it does not name.
        for number in UInt64(1)...700 { _ = book.add(settled(number)) }
        let value = [UInt8](repeating: 0, count: WireRecord.payloadByteLimit)
        let count = round(&book, bytes: [.success(value)]).states.count
        #expect(count == 0)
        // With all of them ended there is room.
        for number in UInt64(1)...700 { _ = book.add(settled(EffectID(module: Self.long, position: number))) }
        let then = round(&book, bytes: [.success(value)]).states.count
        #expect(then == 1)
    }

    private static let long = ModuleID(rawValue: String(repeating: "a", count: ModuleID.byteLimit))!

    @Test func `one worker takes all that wait`() {
        var book = book()
        let first = book.add(settled(1))
        let second = book.add(settled(2))
        #expect(first && !second)
        let all = book.take()
        #expect(all.map(\.settled.id) == [.far(1), .far(2)])
        #expect(book.isAtWork)
        let rest = book.take()
        #expect(rest.isEmpty)
        #expect(!book.isAtWork)
    }

    @Test func `a state that nothing was reduced into is not even read`() {
        var book = book()
        _ = book.add(settled(1))
        #expect(book.due().isEmpty)
        #expect(round(&book, bytes: [.success([1])]).states.isEmpty)
    }

    @Test func `a state that is being cleaned up is nobody's value`() {
        var book = book()
        _ = book.reduces(.far(1), index: 0)
        _ = book.add(settled(1))
        book.retire()
        #expect(round(&book, bytes: [.success([0])]).states.isEmpty)
        let isDue = book.add(settled(2))
        #expect(!isDue, "what ends now is unsettled for the next life")
    }

    @Test func `a record that would not fit with all that it has reduced settles as failed`() {
        var book = book()
        for number in UInt64(1)...50_000 { _ = book.reduces(.far(number), index: 0) }
        _ = book.add(settled(1))
        let (batch, states) = round(&book, bytes: [.success([7])])
        #expect(states.isEmpty && batch[0].result.failures.first?.code == "coding")
        #expect(batch[0].result.failures.first?.message.contains("50000 effects") == true, "\(batch[0].result)")
        // The largest that there may be can be written.
        var other = self.book()
        for number in UInt64(1)...30_000 { _ = other.reduces(.far(UInt64.max - number), index: 0) }
        _ = other.add(settled(1))
        let whole = round(&other, bytes: [.success([7])])
        #expect(whole.states.count == 1 && whole.batch[0].result.isSuccess)
        for state in whole.states {
            let record = StateRecord(stateName: state.name, version: 1, reduced: state.reduced, value: state.bytes[...])
            #expect(throws: Never.self) { try WireRecord.state(record).encoded() }
        }
    }

    @Test func `a changed state is recorded with what it has reduced and the batch does not settle`() {
        var book = book()
        for n in UInt64(1)...3 {
            let isDue = book.reduces(.far(n), index: 0)
            #expect(isDue)
        }
        _ = book.add(settled(2))
        let states = round(&book, bytes: [.success([7])]).states
        #expect(states == [.init(name: "S0", version: 1, bytes: [7], reduced: [.far(1), .far(3)])])
        // An effect that is in the record already needs no second one.
        _ = book.add(settled(1))
        #expect(round(&book, bytes: [.success([7])]).states.isEmpty)
    }

    @Test func `equal bytes are recorded again when an effect has been reduced that the last record does not list`() {
        var book = book()
        _ = book.reduces(.far(1), index: 0)
        _ = book.add(settled(1))
        #expect(round(&book, bytes: [.success([0])]).states.count == 1)
        // 2 adds, 3 takes away; 2 settles first.
        _ = book.reduces(.far(2), index: 0)
        _ = book.reduces(.far(3), index: 0)
        _ = book.add(settled(2))
        #expect(round(&book, bytes: [.success([0])]).states.map(\.reduced) == [[.far(3)]])
        _ = book.add(settled(3))
        #expect(round(&book, bytes: [.success([0])]).states.isEmpty)
    }

    @Test func `equal bytes without a new unsettled effect are not recorded`() {
        var book = book()
        for n in UInt64(1)...2 {
            _ = book.reduces(.far(n), index: 0)
            _ = book.add(settled(n))
            #expect(round(&book, bytes: [.success([0])]).states.count == (n == 1 ? 1 : 0))
        }
    }

    @Test func `an effect that the restored value has is not reduced again until it has settled`() {
        var book = book(.init(name: "S0", version: 1, bytes: [1], reduced: [.far(1)]))
        let isDue = book.reduces(.far(1), index: 0)
        #expect(!isDue)
        #expect(book.due().isEmpty)
        _ = book.add(settled(1))
        #expect(round(&book, bytes: [.success([1])]).states.isEmpty)
        #expect(book.entries[0].reduced.isEmpty)
    }

    @Test func `a state that cannot be encoded fails those that it holds work of, and is read again next time`() {
        var book = book(count: 2)
        for n in UInt64(1)...4 { book.began(.far(n)) }
        _ = book.reduces(.far(1), index: 0)
        book.touches(0, cause: .far(2))
        _ = book.reduces(.far(3), index: 1)
        for n in UInt64(1)...4 { _ = book.add(settled(n)) }
        let (batch, states) = round(&book, bytes: [.failure(.coding("no")), .success([1])])
        #expect(batch.map(\.result.isSuccess) == [false, false, true, true])
        #expect(batch[0].result.outcomes.last?.recipient == .init(module: "M", handler: "S0"))
        #expect(states.map(\.name) == ["S1"])
        #expect(book.due() == [0])
    }

    @Test func `an action of a handler that has settled leaves no trace of its cause`() {
        var book = book()
        book.began(.far(1))
        _ = book.add(settled(1))
        _ = round(&book, bytes: [.success([0])])
        book.touches(0, cause: .far(1))
        #expect(book.entries[0].touched.isEmpty)
        #expect(book.due() == [0])
    }

    @Test func `what settles after the end is not taken`() {
        var book = book()
        book.close()
        let needsWorker = book.add(settled(1))
        #expect(!needsWorker)
        let taken = book.take()
        #expect(taken.isEmpty)
    }
}
