import Testing

@testable import Relux

/// The table alone.
@Suite struct RefusalsTests {
    private func refused(_ n: Int = 1, line: UInt = 41, reason: String = "undeclared") -> Relux.RefusedDispatch {
        Relux.RefusedDispatch(
            module: "Uptime", topic: "Notes.Business.Effect", caseName: "case\(n)",
            site: Relux.Site(file: "UptimeReluxImpl/Flow.swift", line: line, function: "apply"),
            failure: Relux.Failure(domain: "relux", code: reason, message: "it may not; declare it"))
    }

    @Test func `a site is reported once in a second, and then with how many were kept back`() throws {
        var refusals = Relux.Refusals()
        #expect(refusals.note(refused(), now: .zero).report?.count == 1)
        for n in 1...5 { #expect(refusals.note(refused(), now: .milliseconds(n)).report == nil) }
        let report = try #require(refusals.note(refused(), now: .seconds(1)).report)
        #expect(report.count == 6)
        #expect(
            report.line == "relux: Uptime: Notes.Business.Effect.case1 was not accepted (undeclared) at UptimeReluxImpl/Flow.swift:41:"
                + " it may not; declare it; 5 more of it since the last line")
        #expect(refusals.total == 7)
        #expect(refusals.counts.map(\.count) == [7])
    }

    @Test func `another site, reason or case is reported by itself`() {
        var refusals = Relux.Refusals()
        for dispatch in [refused(), refused(line: 42), refused(reason: "hops"), refused(2)] {
            #expect(refusals.note(dispatch, now: .zero).report?.count == 1)
        }
        #expect(refusals.counts.count == 4)
    }

    @Test func `what was kept back is reported when the second is over, without another refusal`() {
        var refusals = Relux.Refusals()
        for _ in 1...3 { _ = refusals.note(refused(), now: .zero) }
        #expect(refusals.due(now: .milliseconds(999)).isEmpty)
        #expect(refusals.due(now: .seconds(1)).map(\.count) == [2])
        #expect(refusals.due(now: .seconds(9)).isEmpty)
    }

    @Test func `at the end nothing is kept back`() {
        var refusals = Relux.Refusals()
        for _ in 1...3 { _ = refusals.note(refused(), now: .zero) }
        #expect(refusals.rest().map(\.count) == [2])
        #expect(refusals.rest().isEmpty)
    }

    @Test func `the table is bounded, and what finds no place counts under its reason`() {
        var refusals = Relux.Refusals()
        for n in 1...1000 { _ = refusals.note(refused(n), now: .zero) }
        #expect(refusals.counts.count == Relux.Refusals.limit + 1)
        #expect(refusals.total == 1000)
        #expect(refusals.counts.map(\.count).reduce(0, +) == 1000)
        #expect(refusals.counts.first?.path.isEmpty == true)
    }

    @Test func `taps see a flood of one site only in part`() {
        var refusals = Relux.Refusals()
        let shown = (1...1000).count { _ in refusals.note(refused(), now: .zero).isShown }
        #expect(shown == Relux.Refusals.shownLimit)
    }

    @Test func `a chain that is too long keeps its root and its end, and a case that is no name is left out`() {
        let chain = (1...40).map { EffectID(module: "M", position: $0) }
        let dispatch = Relux.RefusedDispatch(
            module: "M", topic: "T", caseName: "\u{1b}[2J", ancestry: chain, site: .nowhere, failure: .cancelled)
        #expect(dispatch.ancestry.count == 32)
        #expect(dispatch.ancestry.first == chain.first && dispatch.ancestry.last == chain.last)
        #expect(dispatch.path == "T")
    }
}
