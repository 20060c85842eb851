import ArgumentParser
import Glibc
import ReluxSupervisor
import Synchronization

/// `-w`: a command repeats its output whenever that has changed.
struct WatchOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show it again whenever it has changed, until Ctrl-C.")
    var watch = false

    @Option(help: ArgumentHelp("With --watch, how often to look; 1s where it is left out.", valueName: "duration"), transform: DurationArgument.init)
    var interval: DurationArgument?

    /// Shows it once, or again and again: on a terminal in the same place, elsewhere below what was shown before.
    ///
    /// An error is shown in the same way, and the command looks on: the cluster may come back.
    func run(_ session: CommandSession, _ show: (CommandSession) throws(CLIError) -> ExitStatus) throws(CLIError) -> ExitStatus {
        guard watch else { return try show(session) }
        let console = session.console
        let interruption = Interruption()
        var former: [String]?
        while true {
            let lines = Mutex<[String]>([])
            var quiet = console
            quiet.out = { line in lines.withLock { $0.append(line) } }
            do throws(CLIError) {
                let inner = CommandSession(console: quiet, options: session.options)
                _ = try show(inner)
                try inner.mustHaveFound()
            } catch {
                // A template of the caller's will not get better.
                if error.status == .usage { throw error }
                lines.withLock { $0 = ["relux: \(error.message)", "       \(error.hint)"] }
            }
            let found = lines.withLock { $0 }
            if console.isTerminal, found != former {
                // To the upper left, and everything below it away.
                console.out("\u{1b}[H\u{1b}[2J" + found.joined(separator: "\n"))
            } else if !console.isTerminal, former.map(Self.ageless) != Self.ageless(found) {
                found.forEach(console.out)
            }
            former = found
            let end = ContinuousClock.now + (interval?.duration ?? .seconds(1))
            repeat {
                if interruption.hasCome { return .interrupted }
                if console.hasLostReader() { return .readerGone }
                usleep(20_000)
            } while .now < end
        }
    }

    /// The lines without ages such as `90s`: time that passes is no change.
    private static func ageless(_ lines: [String]) -> [[Substring]] {
        lines.map { line in
            line.split(separator: " ").filter { word in !(word.last.map("smhd".contains) ?? false) || !word.dropLast().allSatisfy(\.isNumber) }
        }
    }
}
