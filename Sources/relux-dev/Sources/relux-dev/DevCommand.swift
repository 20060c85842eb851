import ArgumentParser
import Foundation
import Glibc
import ReluxDevLoop
import ReluxLint
import ReluxOutput
import ReluxScaffold
import Synchronization

struct DevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Rebuilds a plugin at every change, and lets the running cluster go over to it.",
        discussion: """
            At the start and at every change of the manifest or below Sources and Tests it brings the generated coders up to date that \
            the package has (relux generate --existing), builds, lints, runs the tests, packs, and upgrades the module, or loads it when \
            the cluster has it not. The first step that fails ends the round: its errors are \
            shown, the version that is served goes on, and the next change is awaited. A change in the midst of a round begins another one.

            Among the checkout's own plugins it shares the checkout's build; elsewhere it is the package's own, or --scratch-path.

            EXAMPLES:
              relux dev Plugins/Notes
              relux dev --once --no-test ../Weather --config deploy/cluster.yaml

            Exit status with --once: 0 served, 1 generating, build, lint, tests or packing failed, 2 usage, 3 not found, 4 cluster unreachable, \
            5 timeout, 6 refused. Ctrl-C and SIGTERM end it with 130, and all that it has started.
            """)

    @Argument(help: "The plugin's package.")
    var path: String

    @Flag(help: "One round, then the end.")
    var once = false

    @Flag(name: .customLong("no-test"), help: "Do not build and run the plugin's tests.")
    var noTest = false

    @Option(help: ArgumentHelp("Where to build, such as the checkout's .build.", valueName: "folder"))
    var scratchPath: String?

    @OptionGroup var cluster: ClusterOptions

    @Flag(help: "Print an object for each step and each round, one a line; errors are JSON too, on standard error.")
    var json = false

    func run() throws {
        let status: Int32
        do throws(DevLoopError) {
            let plan = try plan()
            var options = DevMachine.Options()
            options.isOnce = once
            options.hasTests = !noTest
            let (module, json) = (plan.module, json)
            let unwritten = Mutex<Int32>(0)
            let loop = try DevLoop(plan, options) { report in
                let lines = json ? DevText.json(report, module: module).map { [$0] } ?? [] : DevText.lines(report, module: module)
                for line in lines where unwritten.withLock({ $0 == 0 }) {
                    let failure = Output.program.attempt(line)
                    guard failure != 0 else { continue }
                    unwritten.withLock { $0 = failure }
                    // As Ctrl-C would: what was started is ended too.
                    kill(getpid(), SIGTERM)
                }
            }
            Signals.forward(to: loop)
            let ended = try loop.run()
            status = unwritten.withLock { $0 == 0 ? ended : $0 }
        } catch {
            throw Output.failure(error.code, error.message, hint: error.hint, status: error.status, json: json)
        }
        if status != 0 { throw ExitCode(status) }
    }

    private func plan() throws(DevLoopError) -> DevPlan {
        let here = FileManager.default.currentDirectoryPath
        func absolute(_ path: String) -> String {
            URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here)).standardizedFileURL.path
        }
        let relux: ReluxProgram
        do { relux = try ReluxProgram.find() } catch {
            throw DevLoopError(error.code, error.message, hint: error.hint, status: error.status ?? 3)
        }
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let package = absolute(path)
        return try DevPlan(
            of: package, hasTests: !noTest,
            .init(
                checkout: Checkout(around: package)?.root, scratch: scratchPath.map(absolute), relux: relux.path, tools: own,
                cluster: cluster.arguments))
    }
}

/// Ctrl-C, and the other ways to ask a program to end.
private enum Signals {
    /// From here on this thread, and those that it starts, leave the signals to one that waits for them.
    static func forward(to loop: DevLoop) {
        // The reader of the reports may be gone; the programs that were started are ended all the same.
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        Thread {
            while true {
                var (set, number) = (awaited, Int32(0))
                if sigwait(&set, &number) == 0 { loop.interrupt() }
            }
        }.start()
    }
}
