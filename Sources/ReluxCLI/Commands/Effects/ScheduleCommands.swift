import ArgumentParser
import ReluxControl
import ReluxOutput
import ReluxWire

struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Lists, fires, pauses and resumes the schedules of modules.",
        discussion: """
            A module emits effects by the clock: every so often, once, or by a cron line. The journal of the module knows which tick was the last, so \
            each is emitted once, whatever is killed, moved or upgraded. ls works without a running cluster.
            """,
        subcommands: [ScheduleListCommand.self, ScheduleFireCommand.self, SchedulePauseCommand.self, ScheduleResumeCommand.self])
}

struct ScheduleListCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the schedules of all modules, with the last tick and the next.",
        discussion: """
            EFFECT is that of the last tick. A schedule is late when its next tick is over a minute past, as of a module that does not run. \
            Exit status 1 if a journal cannot be read; the schedules of the others are listed all the same.
            """)
    static let examples = ["relux schedule ls", "relux schedule ls --json | jq '.schedules[] | select(.state == \"late\")'"]

    @Option(help: "Only those of this module.", completion: Completions.modules) var module: String?
    @OptionGroup var list: ListOptions
    @OptionGroup var watch: WatchOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try watch.run(session) { session throws(CLIError) in try show(session) }
    }

    private func show(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let (found, unreadable) = try session.schedules(of: module)
        let now = ScheduleOutput.now
        let schedules = try list.select(found) { ScheduleOutput.json($0, at: now) }
        switch session.format {
        case .json:
            session.print(
                .object([
                    .init("schema", "relux.schedules/1"), .init("schedules", .array(schedules.map { ScheduleOutput.json($0, at: now) })),
                ]))
        case .ndjson: for schedule in schedules { session.print(ScheduleOutput.json(schedule, at: now)) }
        case .name: for schedule in schedules { session.print(schedule.record.scheduleName) }
        case .table, .wide:
            for line in ScheduleOutput.table(schedules, at: now, wide: session.format == .wide, session.style) { session.print(line) }
        }
        if found.isEmpty { session.say("no module has a schedule" + (unreadable.isEmpty ? "" : " in what could be read")) }
        return session.report(unreadable)
    }
}

struct ScheduleFireCommand: ScheduleOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire", abstract: "Emits the effect of a schedule now, besides its ticks.",
        discussion: "The module emits it itself, also while the schedule is paused. It does not wait for the recipients: `relux tap` shows what comes of it.")
    static let examples = ["relux schedule fire Reports daily", "relux schedule fire Reports daily --dry-run"]
    static let deed = ScheduleOrder.Deed.fire

    @OptionGroup var operands: ScheduleOperands
    @OptionGroup var common: CommonOptions
}

struct SchedulePauseCommand: ScheduleOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Emits no tick of a schedule until it is resumed.",
        discussion: "It holds across restarts, moves and upgrades of the module. Pausing it again does nothing and is no error.")
    static let examples = ["relux schedule pause Reports daily", "relux schedule pause Reports daily --dry-run"]
    static let deed = ScheduleOrder.Deed.pause

    @OptionGroup var operands: ScheduleOperands
    @OptionGroup var common: CommonOptions
}

struct ScheduleResumeCommand: ScheduleOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Lets a paused schedule go on with its next time.",
        discussion: "Ticks that came due while it was paused are left out. Resuming one that is not paused does nothing and is no error.")
    static let examples = ["relux schedule resume Reports daily", "relux schedule resume Reports daily --dry-run"]
    static let deed = ScheduleOrder.Deed.resume

    @OptionGroup var operands: ScheduleOperands
    @OptionGroup var common: CommonOptions
}

struct ScheduleOperands: ParsableArguments {
    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @Argument(help: "The schedule's name.", completion: Completions.schedules) var schedule: String
    @Flag(help: "Say what would be done.") var dryRun = false
}

/// Tells the process of a module what to do with a schedule.
protocol ScheduleOrderCommand: SessionCommand {
    static var deed: ScheduleOrder.Deed { get }
    var operands: ScheduleOperands { get }
}

extension ScheduleOrderCommand {
    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let module = try session.module(named: operands.module, client).module.id
        let order = ScheduleOrder(Self.deed, operands.schedule)
        if operands.dryRun {
            let (found, _) = try session.schedules(of: module.rawValue)
            guard found.contains(where: { $0.record.scheduleName == order.schedule }) else {
                let names = found.map(\.record.scheduleName)
                throw CLIError(
                    .notFound, "schedule.none", "\(module) has no schedule '\(order.schedule)'",
                    hint: NearestName.hint(order.schedule, among: names))
            }
            session.printLines(["\(order.deed.rawValue.padding(to: 9)) \(module) \(order.schedule)"], .plan)
            return .ok
        }
        try session.requireProcess(of: module, to: "\(order.deed) \(order.schedule)", client)
        guard case .done(let lines) = try client.ask(.schedule(module: module, order), timeout: session.timeout(.seconds(40))) else {
            throw .strangeAnswer("schedule \(order.deed)")
        }
        session.printLines(lines, .done)
        return .ok
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
