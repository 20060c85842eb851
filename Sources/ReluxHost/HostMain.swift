import Glibc
package import Relux
import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxLoader
import ReluxOutput
package import ReluxPlugin
import ReluxSystem
import ReluxZeroMQ

/// The main program of a host process: reads its arguments, runs, ends with sysexits' codes.
package enum HostMain {
    /// The name by which this process was called: a user interface, or a domain's own executable, is a host too.
    private static let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "relux-host"

    static var usage: String {
        """
        usage: \(program) --run DIRECTORY --host NAME [--plugin DIRECTORY]... [--kinds TEXT]
               \(program) --describe LIBRARY
               \(program) --raw-values LIBRARY [--enum MANGLED:CASES]...
        """
    }

    /// Never returns. On the main thread, which it leaves when it knows that others can be had.
    ///
    /// - Parameters:
    ///   - adjust: the last word on the configuration, for hosts that are built for a test.
    ///   - interface: run once, when the first module is ready; the process ends when it returns, with its status when there is no other reason.
    @MainActor package static func run(
        _ arguments: [String], linked: [PluginBox] = [], adjust: @Sendable (inout HostConfiguration) -> Void = { _ in },
        interface: (@MainActor @Sendable (Relux.Dispatcher) async -> Int32)? = nil
    ) async -> Never {
        // Before anything is opened. What is wrong the supervisor has said, which inherits the same.
        let facts = StartConditions.settle(interface == nil ? .daemon : .command)
        if let finding = StartConditions.refusal(facts, .daemon) { fail(EX_OSERR, "\(finding)") }
        DescriptorFence.raise()
        await serve(arguments, linked, adjust, interface)
    }

    private static func serve(
        _ arguments: [String], _ linked: [PluginBox], _ adjust: @Sendable (inout HostConfiguration) -> Void,
        _ interface: (@MainActor @Sendable (Relux.Dispatcher) async -> Int32)?
    ) async -> Never {
        let configuration = configuration(HostArguments(arguments), adjust)
        if configuration.plugins.isEmpty, linked.isEmpty { fail(EX_USAGE, "no --plugin is named: there is nothing to run\n\(usage)") }
        // Before any thread exists: modules find their files below it.
        setenv("RELUX_STATE", configuration.run.state, 1)
        do {
            for trouble in try configuration.run.provide() { StandardError.write("\(program): \(trouble)") }
            let supervisor = interface == nil ? nil : supervisor(of: configuration)
            let stage = interface.map(Stage.init)
            let runtime = try HostRuntime(configuration: configuration, onReady: { stage?.enter($0, $1) })
            stage?.onEnd { runtime.requestEnd(because: "its interface has ended with status \($0)") }
            Signals.onTermination { runtime.requestEnd() }
            if let descriptor = Lifeline.inherited(),
                !Lifeline.watch(descriptor, graceSeconds: 10, ended: { runtime.requestEndAsOrphan() })
            {
                fail(EX_OSERR, "no thread to watch the supervisor's lifeline")
            }
            if let supervisor, !Lifeline.watch(supervisor, isProcess: true, graceSeconds: 10, ended: {
                StandardError.write("\(program): the cluster has ended, and \(configuration.host) with it")
                runtime.requestEndAsOrphan()
            }) {
                fail(EX_OSERR, "no thread to watch the supervisor")
            }
            let end = try await runtime.run(linked: linked).status
            exit(end == EX_OK ? stage?.status ?? EX_OK : end)
        } catch let error as ZeroMQError where error.isInUse {
            // Nothing was touched of the process that has the name.
            fail(EX_TEMPFAIL, "\(configuration.host) cannot be started: \(error); quit the one that runs under this name first")
        } catch {
            fail(EX_SOFTWARE, "\(error)")
        }
    }

    /// The configuration of the process; the questions about a library are answered here, and end it.
    private static func configuration(
        _ arguments: HostArguments, _ adjust: (inout HostConfiguration) -> Void
    ) -> HostConfiguration {
        if arguments.wantsHelp {
            let output = ProgramOutput(program)
            output.data(usage)
            exit(output.status(EX_OK))
        }
        if let fault = arguments.fault { fail(EX_USAGE, "\(fault)\n\(usage)") }
        if let library = arguments.described { printAndExit { () throws(LoaderError) in try describe(library: library) } }
        if let library = arguments.enumsLibrary {
            printAndExit { () throws(LoaderError) in try rawValues(library: library, enums: arguments.enums) }
        }
        guard let run = arguments.run, let host = arguments.host else { fail(EX_USAGE, "--run and --host are needed\n\(usage)") }
        var configuration = HostConfiguration(
            host: HostID(rawValue: host), run: RunDirectory(path: run), plugins: arguments.plugins,
            deadline: EnvironmentLimits.duration("dispatch.deadline", default: .seconds(30)),
            stallLimit: EnvironmentLimits.duration("liveness.stall", default: .seconds(10)),
            busPatience: EnvironmentLimits.duration("bus.patience", default: .milliseconds(5)),
            queuedByteLimit: EnvironmentLimits.integer("bus.queue-mebibytes", in: 1...65536, default: 64) << 20,
            queuedFrameLimit: EnvironmentLimits.integer("bus.queue-frames", in: 1...1_000_000, default: 10_000))
        configuration.kinds = arguments.kinds
        configuration.journal = .fromEnvironment()
        adjust(&configuration)
        return configuration
    }

    /// A person starts an interface beside a cluster that runs, and it ends with that. Nil where nobody can be watched: the kernel may not let
    /// us, and where somebody else starts the processes there is no supervisor of ours.
    private static func supervisor(of configuration: HostConfiguration) -> Int32? {
        if let descriptor = SupervisorWatch.descriptor(of: configuration.run) { return descriptor }
        let isSupervised = configuration.run.runningSupervisor() != nil
        guard isSupervised || SocketLock.isHeld(configuration.run.brokerSocket) else {
            fail(
                EX_UNAVAILABLE,
                "\(configuration.host) has no cluster to take part in: none runs in \(configuration.run.path); start it with `relux up` first")
        }
        let why = isSupervised ? "the supervisor cannot be watched here" : "no supervisor runs this cluster"
        StandardError.write("\(program): \(why): \(configuration.host) does not end with it; end it before the cluster")
        return nil
    }

    private static func printAndExit(_ answer: () throws(LoaderError) -> some Encodable) -> Never {
        do {
            let output = ProgramOutput(program)
            output.data(try JSON.encode(answer()))
            exit(output.status(EX_OK))
        } catch {
            fail(EX_DATAERR, "\(error)")
        }
    }

    private static func fail(_ code: Int32, _ message: String) -> Never {
        StandardError.write("\(program): \(message)")
        exit(code)
    }
}
