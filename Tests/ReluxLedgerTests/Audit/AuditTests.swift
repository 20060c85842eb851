import Relux
@testable import ReluxLedger
import SimulationKit
import Testing

/// `Auth` says effects to `Notes`; each test puts one thing wrong.
@Suite struct AuditTests {
    private static let topic: Topic = "Auth.Business.Effect"
    private static let key = Audit.Key(publisher: "Auth", topic: topic, recipient: "Notes")
    private static let running: [ModuleID: Audit.Place] = ["Auth": .running, "Notes": .running]

    /// The two journals, record by record.
    private struct Books {
        var auth = AuditedJournal(Ledger("Auth"))
        var notes = AuditedJournal(Ledger("Notes"))

        init(accepting count: UInt64 = 0) {
            let member = MemberRecord(sequence: 0, version: 1, recipients: ["Notes"])
            auth.ledger.fold(topic, .member(member))
            for sequence in 0..<count { accept(sequence + 1) }
        }

        mutating func accept(_ sequence: UInt64) {
            let effect = EffectRecord(position: sequence, sequence: sequence, caseName: "login", payload: [0xa0])
            auth.ledger.fold(topic, .effect(effect))
        }

        mutating func settle(_ sequences: ClosedRange<UInt64>, _ status: SettledRecord.Status = .succeeded) {
            for sequence in sequences {
                let stream = Topic.settlements(of: "Auth")
                let settled = SettledRecord(
                    sequence: notes.ledger.head(of: stream, start: 0) + 1, topic: topic,
                    effects: EffectRuns(position: sequence, sequence: sequence), status: status)
                notes.ledger.fold(stream, .settled(settled))
            }
        }

        mutating func bury(_ sequence: UInt64) {
            let letter = DeadRecord(
                effect: EffectID(module: "Auth", position: sequence), topic: topic, caseName: "login", deaths: 5,
                wallTimeMilliseconds: 0, reason: "", payload: [0xa0])
            notes.ledger.fold(DeadRecord.topic, .dead(letter))
        }

        /// Auth takes the settlements, and says so.
        mutating func acknowledge(
            _ sequences: ClosedRange<UInt64>, _ status: SettledRecord.Status = .succeeded, isSaid: Bool = true
        ) {
            for sequence in sequences {
                let acked = WireRecord.acked(
                    AckedRecord(
                        recipient: "Notes", settlementSequence: status == .lost ? 0 : sequence, topic: topic,
                        effects: EffectRuns(position: sequence, sequence: sequence), status: status))
                auth.observe(acked)
                auth.ledger.fold(AckedRecord.topic, acked)
            }
            guard isSaid else { return }
            let taken = CursorRecord(module: "Auth", topic: .settlements(of: "Auth"), range: 0...sequences.upperBound)
            notes.ledger.fold(CursorRecord.topic, .cursor(taken))
        }

        var look: AuditLook {
            var look = AuditLook()
            look.journals = ["Auth": auth, "Notes": notes]
            return look
        }

        func audit(_ places: [ModuleID: Audit.Place]? = running) -> Audit { Audit(first: look, second: look, places: places) }
    }

    private func only(_ audit: Audit) throws -> Audit.Finding {
        #expect(audit.findings.count == 1 && !audit.isBalanced, "\(audit.findings)")
        return try #require(audit.findings.first)
    }

    // MARK: What balances

    @Test func `each effect is in one column`() throws {
        var books = Books(accepting: 10)
        books.settle(1...3)
        books.settle(4...4, .failed)
        books.bury(5)
        books.settle(5...5, .deadLettered)
        books.settle(6...6, .refused)
        books.acknowledge(1...3)
        books.acknowledge(4...4, .failed)
        books.acknowledge(5...5, .deadLettered)
        books.acknowledge(6...6, .refused)
        books.acknowledge(7...7, .lost)
        books.settle(8...8)
        let audit = books.audit()
        #expect(audit.isBalanced, "\(audit.findings)")
        let row = try #require(audit.rows.first)
        #expect(audit.rows.count == 1 && row.key == Self.key)
        #expect(row.accepted == 10 && row.succeeded == 3 && row.failed == 1 && row.deadLettered == 1 && row.refused == 1)
        #expect(row.lost == 1 && row.unacknowledged == 1 && row.open == 2 && row.inFlight == 2 && row.parked == 0)
        #expect(audit.total.accepted == 10 && audit.inFlight == 2)
    }

    @Test func `what waits for a module without a process is parked, and says why`() throws {
        let row = try #require(Books(accepting: 2).audit(["Auth": .running, "Notes": .parked("backoff")]).rows.first)
        #expect(row.parked == 2 && row.inFlight == 0 && row.place == .parked("backoff"))
        let unknown = try #require(Books(accepting: 2).audit(nil).rows.first)
        #expect(unknown.open == 2 && unknown.place == nil)
    }

    @Test func `a recipient that never wrote a journal has its effects open`() throws {
        var look = AuditLook()
        look.journals = ["Auth": Books(accepting: 3).auth]
        let audit = Audit(first: look, second: look, places: Self.running)
        #expect(audit.isBalanced && audit.rows.first?.open == 3)
    }

    @Test func `what happens between the two looks is no finding`() {
        var books = Books(accepting: 3)
        let before = books.look
        books.settle(1...3)
        books.acknowledge(1...3)
        books.accept(4)
        books.settle(4...4)
        let after = books.look
        #expect(Audit(first: before, second: after, places: Self.running).isBalanced)
        // Even when each look has read one of the journals earlier than the other.
        var torn = before
        torn.journals["Notes"] = after.journals["Notes"]
        #expect(Audit(first: torn, second: after, places: Self.running).isBalanced)
        torn = before
        torn.journals["Auth"] = after.journals["Auth"]
        #expect(Audit(first: torn, second: after, places: Self.running).isBalanced)
        #expect(Audit(first: before, second: torn, places: Self.running).isBalanced)
    }

    // MARK: What does not

    @Test func `numbers of the publisher that do not add up`() throws {
        var books = Books(accepting: 3)
        // The same sequence twice: one of the two is in nobody's stream.
        books.accept(3)
        let finding = try only(books.audit())
        #expect(finding.kind == .unaccounted && finding.count == 1 && finding.key == Self.key)
        #expect(finding.detail == "accepted 4, ended 0, waiting 3")
    }

    @Test func `settled for the publisher, and not for the recipient`() throws {
        var books = Books(accepting: 6)
        books.settle(1...2)
        books.settle(4...6)
        books.acknowledge(1...5, isSaid: false)
        let finding = try only(books.audit())
        #expect(finding.kind == .unsettled && finding.count == 1 && finding.first == 3)
        #expect(finding.message.hasPrefix("Auth on Auth.Business.Effect to Notes: 1 settled by Notes"))
        var look = books.look
        look.journals["Notes"] = nil
        let gone = Audit(first: look, second: look, places: Self.running)
        #expect(try only(gone).detail == "Notes has no journal")
        // A module that was removed need not have anything there.
        let removed = Audit(first: look, second: look, places: ["Auth": .running])
        #expect(!removed.findings.contains { $0.kind == .unsettled }, "\(removed.findings)")
    }

    @Test func `the publisher waits for what the recipient is through with`() throws {
        var books = Books(accepting: 4)
        let passed = CursorRecord(module: "Auth", topic: Self.topic, range: 2...3)
        books.notes.ledger.fold(CursorRecord.topic, .cursor(passed))
        let finding = try only(books.audit())
        #expect(finding.kind == .unanswered && finding.count == 2 && finding.first == 2)
        #expect(books.audit().rows.first?.open == 2 && books.audit().rows.first?.unacknowledged == 0)
        // A publisher without a process cannot have heard of it yet.
        #expect(books.audit(["Auth": .parked("backoff"), "Notes": .running]).isBalanced)
    }

    @Test func `the recipient has handled what was never accepted`() throws {
        var books = Books(accepting: 3)
        books.settle(1...5)
        books.acknowledge(1...3)
        let finding = try only(books.audit())
        #expect(finding.kind == .unknown && finding.count == 2 && finding.first == 4)
        #expect(finding.detail == "handled up to 5, accepted up to 3")
    }

    @Test func `settlements were taken that nobody said`() throws {
        var books = Books(accepting: 3)
        books.settle(1...1)
        books.acknowledge(1...3, isSaid: false)
        #expect(Set(books.audit().findings.map(\.kind)) == [.unsettled, .unsaid])
        #expect(books.audit().findings.allSatisfy { $0.count == 2 })
    }

    @Test func `an effect was given up without a letter`() throws {
        var books = Books(accepting: 2)
        books.bury(1)
        books.settle(1...2, .deadLettered)
        books.acknowledge(1...2, .deadLettered)
        let finding = try only(books.audit())
        #expect(finding.kind == .letterless && finding.count == 1 && finding.detail == "given up 2, letters 1")
    }

    @Test func `something waits for a module that the cluster does not have`() throws {
        let books = Books(accepting: 2)
        let finding = try only(books.audit(["Auth": .running]))
        #expect(finding.kind == .stranded && finding.count == 2 && finding.first == 1)
        #expect(books.audit(["Auth": .parked("stopped")]).isBalanced)
    }

    @Test func `only what a later look has too is a finding, and a journal that cannot be read is none`() {
        let books = Books(accepting: 2)
        let stranded = books.audit(["Auth": .running])
        #expect(books.audit().confirming(stranded).isBalanced)
        #expect(stranded.confirming(books.audit()).isBalanced)
        #expect(stranded.confirming(stranded).findings == stranded.findings)
        var look = books.look
        look.unreadable = ["Notes": "damaged"]
        let audit = Audit(first: look, second: look, places: Self.running)
        #expect(!audit.isBalanced && audit.findings.isEmpty && audit.unreadable == ["Notes": "damaged"])
    }

    @Test func `every kind names the effects, both modules and a remedy`() {
        for kind in [
            Audit.Finding.Kind.unaccounted, .unsettled, .unanswered, .unknown, .unsaid, .letterless, .stranded,
        ] {
            let finding = Audit.Finding(kind: kind, key: Self.key, count: 2, first: 7, detail: "so it is")
            #expect(finding.message.contains("2 ") && finding.message.contains("Auth") && finding.message.contains("Notes"))
            #expect(finding.message.hasSuffix("sequence 7: so it is") && finding.remedy.contains("relux "))
        }
        #expect(Audit.Finding.Kind.allCases.count == 7)
    }
}
