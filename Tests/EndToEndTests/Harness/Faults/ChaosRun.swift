import Foundation
import ReluxTestKit

/// Plays a plan of faults against a cluster in which several publishers emit, and judges what became of what they said.
final class ChaosRun {
    let cluster: Cluster
    let diary: Diary
    let faults: Faults
    let plan: FaultPlan
    /// Modules that make Counter count, one series after the other.
    let series: [Writer]
    /// The same without a module, through the ingress.
    let writers: [Writer]
    /// The run directory's disk; nil where the plan fills none.
    let disk: SmallDisk?
    let upgrades: ChaosUpgrades
    /// Whether hosts ask for what they have missed. Where they do not, what is waited for may never come.
    let repairs: Bool
    /// Steps that were to wait for a handler, found none, and were played all the same.
    private var unaimed: Set<Int> = []
    /// Targets for whose handlers a step has waited in vain: nobody waits for them again before there is one.
    private var idle: Set<String> = []
    var thaws: [Watched<Bool>] = []
    private var full = Watched(true)

    /// Starts the load, and returns when all of it moves.
    init(
        _ cluster: Cluster, _ diary: Diary, _ plan: FaultPlan, publishers: [String] = DurablePlugins.publishers, disk: SmallDisk? = nil,
        repairs: Bool = true
    ) async throws {
        self.cluster = cluster
        self.diary = diary
        self.plan = plan
        self.disk = disk
        self.repairs = repairs
        upgrades = ChaosUpgrades(cluster)
        faults = try Faults(cluster, diary)
        series = publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 8000) }
        writers = ["one", "two"].map { Writer.adding($0, on: cluster, window: 4, pause: 12_000) }
        for one in series { try await one.answers(2) }
        for one in writers { try await one.answers(10) }
    }

    /// The seed of `RELUX_CHAOS_SEED`, or any.
    static func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["RELUX_CHAOS_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...(.max))
    }

    static func isTold(of seed: UInt64) { print("seed \(seed); again: RELUX_CHAOS_SEED=\(seed) deploy/test --filter Chaos") }

    /// Does all that the plan says.
    func play() async throws {
        for (number, step) in plan.steps.enumerated() {
            try await Task.sleep(for: step.pause)
            do {
                let end = ContinuousClock.now + watchdog
                while try await !does(step, number) {
                    guard ContinuousClock.now < end else { throw HarnessError("its target was not there for \(watchdog)") }
                    try await Task.sleep(for: .milliseconds(1))
                }
            } catch {
                faults.printLog()
                throw HarnessError("fault \(number + 1), \(step.kind) \(step.target): \(error)\(await cluster.whereabouts(of: step.target))")
            }
        }
        try await thawAll()
        try await upgrades.end()
    }

    /// False when the process that it was meant for has ended before.
    private func does(_ step: FaultPlan.Step, _ number: Int) async throws -> Bool {
        let isOfProcess = step.kind != .upgrade && step.kind != .fill
        let pid = isOfProcess ? try await faults.life(of: step.target, isYounger: step.isYounger) : 0
        guard try await isAimed(step, number, isOfProcess && Faults.isHost(step.target) ? pid : nil) else { return false }
        switch step.kind {
        case .freeze: return freeze(step, pid)
        case .kill:
            if repairs { try await settleHits() }
            guard try await faults.kill(step.target, pid) else { return false }
            if step.target == Faults.supervisor { try await upAgain(takesAll: step.takesAll) }
        case .upgrade:
            try await upgrades.begin()
            faults.note(.upgrade, step.target)
        case .fill: try await fill(step)
        case .vanish: return try await vanish(step, pid)
        case .crowd: return try await crowd(step, pid)
        case .restore:
            if repairs { try await settleHits() }
            return try await restore(step, pid)
        }
        return true
    }

    /// Waits until a handler of the process, or of any, is inside an await, and for the step's depth then.
    ///
    /// Without repair there may be none any more: the step is played all the same then, and counted.
    ///
    /// - Returns: false when the process has ended before.
    private func isAimed(_ step: FaultPlan.Step, _ number: Int, _ pid: Int32?) async throws -> Bool {
        guard let depth = step.depth else { return true }
        let name = pid == nil ? "" : step.target
        if idle.contains(name), faults.handlers.open(in: pid).isEmpty {
            unaimed.insert(number)
            return true
        }
        do {
            guard try await faults.handlers.isBusy(pid, limit: repairs ? watchdog : .seconds(2)) else { return false }
        } catch is WatchdogError where !repairs {
            idle.insert(name)
            unaimed.insert(number)
            return true
        }
        idle.remove(name)
        unaimed.remove(number)
        try await Task.sleep(for: depth)
        return true
    }

    /// Without room until the step's length is over; meanwhile the plan goes on.
    private func fill(_ step: FaultPlan.Step) async throws {
        guard let disk else { throw HarnessError("this run has no disk of its own") }
        // One at a time: it would be emptied too early.
        try await full.wait(for: "the end of the full disk before") { $0 }
        try await offPool { try disk.fill() }
        faults.note(.fill, step.target)
        let emptied = Watched(false)
        Thread {
            Thread.sleep(forTimeInterval: step.length / .seconds(1))
            disk.empty()
            emptied.update { $0 = true }
        }.start()
        full = emptied
        thaws.append(emptied)
    }

    private func freeze(_ step: FaultPlan.Step, _ pid: Int32) -> Bool {
        guard let freeze = faults.freeze(step.target, pid) else { return false }
        // Meanwhile the plan goes on. A thread of its own: nothing that waits for the frozen one may hold it up.
        let thawed = Watched(false)
        Thread {
            Thread.sleep(forTimeInterval: step.length / .seconds(1))
            freeze.thaw()
            thawed.update { $0 = true }
        }.start()
        thaws.append(thawed)
        return true
    }

    private func thawAll() async throws {
        for thaw in thaws { try await thaw.wait(for: "the end of a freeze, a full disk or a crowd") { $0 } }
        thaws = []
    }

    /// Nothing outlives a supervisor; then there is another one.
    private func upAgain(takesAll: Bool) async throws {
        if takesAll {
            for process in cluster.processes { try await faults.kill(process.host ?? Faults.broker, process.pid, isFault: false) }
        }
        try await thawAll()
        try await cluster.noProcessIsLeft()
        faults.noProcessIsLeft()
        try await cluster.up()
    }

    /// Waits until what was running at two deaths is settled: an effect that is hit five times, the last alone, is given up, as the contract
    /// says.
    func settleHits() async throws {
        for handler in faults.handlers(hit: 2) {
            let key = handler.key
            if let writer = writers.first(where: { $0.name == key.publisher }) {
                try await writer.seen.wait(for: "the answer to \(key)") { $0.answers[key.number] != nil || !$0.faults.isEmpty }
            } else if handler.isSeries, let driver = series.first(where: { $0.name == key.publisher }) {
                try await driver.seen.wait(for: "the end of the series \(key)") { $0.answers[key.run] != nil || !$0.faults.isEmpty }
            } else {
                try await faults.handlers.seen.wait(for: "\(key) to be settled") { $0.answered.contains(key) || $0.problem != nil }
            }
            faults.acquit(handler)
        }
    }

    /// Says nothing new, waits for all answers, and judges. Without repair it waits until there was none for five seconds.
    func books() async throws -> Books {
        guard repairs else { return try await booksAfterSilence(of: .seconds(5)) }
        for one in series + writers {
            do {
                try await one.stop()
            } catch {
                faults.printLog()
                throw HarnessError("\(error)\(await cluster.whereabouts(of: one.recipient))")
            }
        }
        return try Books(diary, writers: writers, drivers: series)
    }

    private func booksAfterSilence(of limit: Duration) async throws -> Books {
        for one in series + writers { one.finish() }
        var before = -1
        while case let now = (series + writers).reduce(0, { $0 + $1.seen.value.answers.count }), now != before {
            before = now
            try await Task.sleep(for: limit)
        }
        for one in series + writers { one.abandon() }
        return try Books(diary, writers: writers, drivers: series)
    }

    func printTable(_ books: Books, _ settings: [String]) {
        let said = settings.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        print("chaos, seed \(plan.seed), with\(repairs ? "" : "out") repair; \(said)")
        faults.printTable()
        print("    \(books)")
        let recoveries = Recoveries(faults.all, books.lines)
        print("    from a host's death to its next handler: \(HandOvers.figures(recoveries.all))")
        print("    the same, where nothing else was done just then: \(HandOvers.figures(recoveries.undisturbed))")
        if !unaimed.isEmpty { print("    found no handler inside an await: \(unaimed.count) of \(plan.steps.count { $0.depth != nil })") }
        if faults.count(.upgrade) > 0 { print("    \(upgrades)") }
    }
}
