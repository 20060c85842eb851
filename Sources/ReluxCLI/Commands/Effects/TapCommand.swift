import ArgumentParser
import Foundation
import ReluxControl
import ReluxOutput
import ReluxTap
import ReluxWire
import ReluxZeroMQ

struct TapCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "tap", abstract: "Shows effects as they go by, with their causes.",
        discussion: "The case is the last segment of a name; * stands for one segment, a final ** for the rest.")
    static let examples = ["relux tap 'Auth.**' --settlements", "relux tap 'Auth.Business.Effect.login' -n 1 --json"]

    @Argument(help: "What to show; everything without one.", completion: Completions.effects) var patterns: [String] = []
    @Option(name: .short, help: ArgumentHelp("End after this many effects.", valueName: "count"), transform: CountArgument.parse) var n: Int?
    @Flag(help: "Show the recipients' settlements too.") var settlements = false
    @Option(
        help: ArgumentHelp("Show only this effect and what follows from it, also what journals have of it, and print its tree at the end. With -n a complete tree ends it too.", valueName: "id"))
    var tree: String?
    @OptionGroup var common: CommonOptions

    /// How often the cluster is asked for new hosts.
    private static let followInterval: Duration = .seconds(1)
    private static let pollMilliseconds = 50
    /// A tree in which all is settled is complete after so long without another effect.
    private static let quiet: Duration = .seconds(1)

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let wanted = try EffectListCommand.parse(patterns)
        let root = try treeRoot()
        let interruption = Interruption()
        let client = try session.client()
        let started = try session.status(client)
        do {
            // A tree is judged as a whole, whatever of it is shown.
            var tap = try TapSession(
                context: try ZeroMQContext(), patterns: root == nil ? wanted : [.everything], settlements: settlements || root != nil)
            if let catalog = Self.catalog(client) {
                tap.order = FieldOrder(catalog.topics)
                for line in PatternAdvice(catalog, started).lines(wanted, consequence: ", the tap waits for one") { session.say(line) }
            }
            if let root, !started.modules.contains(where: { $0.id == root.module }), root.module != BuiltInModule.id {
                session.say("no module says \(root); " + NearestName.hint(root.module.rawValue, among: started.modules.map(\.id.rawValue)))
            }
            try tap.follow(started.picture.hosts)
            var past: [TapEvent] = []
            if let root {
                // Behind the subscription, so that nothing is missed between the two.
                let run = try session.location().run
                past = PastTree.events(of: root, run, tap.order)
                if past.isEmpty, PastTree.hasGoneBy(root, run) { try sayGone(root, session) }
            }
            session.say("tapping \(started.picture.hosts.count.counted("host")); end with Ctrl-C")
            let (shown, status) = try show(&tap, past, wanted, Absentees(started.picture), client, root, interruption, session)
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
        _ tap: inout TapSession, _ past: [TapEvent], _ wanted: [TapPattern], _ absentees: Absentees, _ client: borrowing BrokerClient, _ root: EffectID?,
        _ interruption: Interruption, _ session: CommandSession
    ) throws -> (shown: Int, status: ExitStatus) {
        let clock = ContinuousClock()
        let end = session.options.timeout.map { clock.now + $0.duration }
        var nextFollow = clock.now + Self.followInterval
        var shown = 0
        var collected = CausalTree(absentees)
        var hold = CausalHold()
        var status = ExitStatus.ok
        var lastOfTree = clock.now
        /// Shows the events until `n` effects are shown.
        func show(_ events: [TapEvent]) {
            for event in events {
                if let root {
                    guard collected.takes(event, of: root) else { continue }
                    collected.add(event)
                    lastOfTree = clock.now
                }
                guard isShown(event, wanted), n.map({ shown < $0 }) ?? true else { continue }
                session.printEvent(event, collected.absentees)
                if case .effect = event { shown += 1 }
            }
        }
        show(past)
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
            if let n, let root, !collected.isEmpty, lastOfTree.duration(to: clock.now) >= Self.quiet, collected.unsettled(of: root) == 0 {
                session.say("the tree of \(root) is complete, with \(shown) of \(n) effects")
                status = .unmet
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

    private func isShown(_ event: TapEvent, _ wanted: [TapPattern]) -> Bool {
        func matches(_ topic: Topic, _ caseName: String) -> Bool { wanted.contains { $0.matches(topic, caseName: caseName) } }
        return switch event {
        case .effect(let effect): matches(effect.topic, effect.record.caseName)
        // A name that no topic can have is of everything only.
        case .refusal(let refusal): wanted.contains(.everything) || Topic(rawValue: refusal.record.topic).map { matches($0, refusal.record.caseName) } ?? false
        case .settlement: settlements
        }
    }

    /// - Throws: when a number of effects is waited for.
    private func sayGone(_ root: EffectID, _ session: CommandSession) throws(CLIError) {
        let why = "\(root) has gone by, and no journal has it or what followed from it any more"
        guard n == nil else { throw CLIError(.notFound, "tap.gone", why, hint: "without -n the tap waits for what may still follow from it") }
        session.say("\(why); the tap waits for what may still follow from it")
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
