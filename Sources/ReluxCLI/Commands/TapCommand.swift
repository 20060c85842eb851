import ArgumentParser
import Foundation
import ReluxBus
import ReluxOutput
import ReluxTap
import ReluxWire
import ReluxZeroMQ

struct TapCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "tap", abstract: "Shows effects as they go by, with their causes.",
        discussion: "The case is the last segment of a name; * stands for one segment, a final ** for the rest.")
    static let examples = ["relux tap 'Auth.**' --settlements", "relux tap 'Auth.Business.Effect.login' -n 1 --json"]

    @Argument(help: "What to show; everything without one.") var patterns: [String] = []
    @Option(name: .short, help: ArgumentHelp("End after this many effects.", valueName: "count"), transform: CountArgument.parse) var n: Int?
    @Flag(help: "Show the recipients' settlements too.") var settlements = false
    @Option(help: ArgumentHelp("Show only this effect and what follows from it, and print its tree at the end.", valueName: "id")) var tree: String?
    @OptionGroup var common: CommonOptions

    /// How often the cluster is asked for new hosts.
    private static let followInterval: Duration = .seconds(1)
    private static let pollMilliseconds = 50

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let wanted = try EffectListCommand.parse(patterns)
        let root = try treeRoot()
        let interruption = Interruption()
        let client = try session.client()
        let started = try session.status(client)
        do {
            var tap = try TapSession(
                context: try ZeroMQContext(), patterns: wanted, settlements: settlements || root != nil)
            if let catalog = Self.catalog(client) {
                tap.order = FieldOrder(catalog.topics)
                for line in PatternAdvice(catalog, started).lines(wanted, consequence: ", the tap waits for one") { session.say(line) }
            }
            if let root, !started.modules.contains(where: { $0.id == root.module }), root.module != "Cluster" {
                session.say("no module says \(root); " + NearestName.hint(root.module.rawValue, among: started.modules.map(\.id.rawValue)))
            }
            if let root {
                session.say("only \(root) and what follows from it is shown, and counted by -n; a tap does not see what went by before: relux why \(root)")
            }
            try tap.follow(started.picture.hosts)
            session.say("tapping \(started.picture.hosts.count) hosts; end with Ctrl-C")
            let (shown, status) = try show(&tap, Absentees(started.picture), client, root, interruption, session)
            let counters = tap.counters
            session.say(
                "seen \(counters.seen)  shown \(shown)  dropped \(counters.dropped)"
                    + (counters.undecodable > 0 ? "  undecodable \(counters.undecodable)" : ""))
            return status
        } catch let error as CLIError {
            throw error
        } catch {
            throw CLIError(.failed, "tap.socket", "\(error)")
        }
    }

    private func show(
        _ tap: inout TapSession, _ absentees: Absentees, _ client: borrowing BrokerClient, _ root: EffectID?, _ interruption: Interruption,
        _ session: CommandSession
    ) throws -> (shown: Int, status: ExitStatus) {
        let clock = ContinuousClock()
        let end = session.options.timeout.map { clock.now + $0.duration }
        var nextFollow = clock.now + Self.followInterval
        var shown = 0
        var collected = CausalTree(absentees)
        var hold = CausalHold()
        var status = ExitStatus.ok
        /// Shows the events until `n` effects are shown.
        func show(_ events: [TapEvent]) {
            for event in events {
                if root != nil { collected.add(event) }
                guard isShown(event, root), n.map({ shown < $0 }) ?? true else { continue }
                session.printEvent(event, collected.absentees)
                if case .effect = event { shown += 1 }
            }
        }
        while n.map({ shown < $0 }) ?? true {
            if interruption.hasCome {
                status = .interrupted
                break
            }
            if let end, clock.now >= end {
                show(hold.releaseAll())
                status = n.map({ shown < $0 }) ?? false ? .timeout : .ok
                break
            }
            // Nobody may say anything more, and then no write would tell.
            if session.console.hasLostReader() { return (shown, .readerGone) }
            let patience = hold.due.map { min(Self.pollMilliseconds, Int(clock.now.duration(to: $0) / .milliseconds(1)) + 1) }
            let events = try tap.receive(milliseconds: max(0, patience ?? Self.pollMilliseconds))
            hold.add(events, at: clock.now, wallMilliseconds: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
            show(hold.release(at: clock.now))
            if clock.now >= nextFollow {
                nextFollow = clock.now + Self.followInterval
                // Without the broker the known hosts are still heard.
                do {
                    guard case .status(let status) = try client.ask(.status, timeout: .milliseconds(200)) else { continue }
                    collected.absentees = Absentees(status.picture)
                    if try tap.follow(status.picture.hosts), let catalog = Self.catalog(client) { tap.order = FieldOrder(catalog.topics) }
                } catch let error as CLIError {
                    if error.status == .unreachable { session.sayOnce("\(error.message); the tap waits until it is there again") }
                }
            }
        }
        show(hold.releaseAll())
        if let root, !session.format.isJSON {
            for line in collected.lines(from: root, style: session.style, isWide: session.format == .wide) { session.print(line) }
        }
        return (shown, status)
    }

    /// The declared contracts; nil if the cluster does not answer in a moment: then fields are shown as they travel.
    private static func catalog(_ client: borrowing BrokerClient) -> ContractCatalog? {
        guard case .contracts(let answer)? = try? client.ask(.contracts, timeout: .milliseconds(500)) else { return nil }
        return try? ContractCatalog(answer: answer)
    }

    private func isShown(_ event: TapEvent, _ root: EffectID?) -> Bool {
        switch event {
        case .effect(let effect): root.map { CausalTree.isPart(effect, of: $0) } ?? true
        case .settlement: settlements
        case .refusal(let refusal): root.map { CausalTree.isPart(refusal, of: $0) } ?? true
        }
    }

    private func treeRoot() throws(CLIError) -> EffectID? {
        guard let tree else { return nil }
        do { return try EffectID(parsing: tree) } catch { throw CLIError(.usage, "tap.tree", error.message) }
    }
}

extension CommandSession {
    func printEvent(_ event: TapEvent, _ absentees: Absentees) {
        if format.isJSON {
            console.out(TapJSON.object(of: event, absentees).text())
            return
        }
        switch event {
        case .effect(let effect): print(TapLine(style: style).text(of: effect, parked: absentees.parked(effect)))
        case .settlement(let settlement): print(TapLine(style: style).text(of: settlement))
        case .refusal(let refusal): print(TapLine(style: style).text(of: refusal))
        }
    }
}
