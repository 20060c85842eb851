import Glibc
import Relux
import ReluxBus
package import ReluxPlugin

/// The main program of a host process: reads its arguments, runs, ends with sysexits' codes.
package enum HostMain {
    static let usage = """
        usage: relux-host --run DIRECTORY --host NAME [--plugin DIRECTORY]...
               relux-host --describe LIBRARY
               relux-host --raw-values LIBRARY [--enum MANGLED:CASES]...
        """

    /// Never returns.
    package static func run(_ arguments: [String], linked: [PluginBox] = []) async -> Never {
        var rest = arguments.dropFirst()
        var run: String?
        var host: String?
        var plugins: [String] = []
        var enumsLibrary: String?
        var enums: [String: Int] = [:]
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst() else { fail(EX_USAGE, "\(flag) needs a value\n\(usage)") }
            switch flag {
            case "--describe": printAndExit { () throws(LoaderError) in try describe(library: value) }
            case "--raw-values": enumsLibrary = value
            case "--enum":
                let parts = value.split(separator: ":")
                guard parts.count == 2, let count = Int(parts[1]) else {
                    fail(EX_USAGE, "--enum takes a mangled name, a colon and a number, not '\(value)'\n\(usage)")
                }
                enums[String(parts[0])] = count
            case "--run": run = value
            case "--host": host = value
            case "--plugin": plugins.append(value)
            default: fail(EX_USAGE, "unknown flag \(flag)\n\(usage)")
            }
        }
        if let enumsLibrary {
            printAndExit { () throws(LoaderError) in try rawValues(library: enumsLibrary, enums: enums) }
        }
        guard let run, let host else { fail(EX_USAGE, "--run and --host are needed\n\(usage)") }
        var configuration = HostConfiguration(
            host: HostID(rawValue: host), run: RunDirectory(path: run), plugins: plugins,
            deadline: EnvironmentLimits.duration("dispatch.deadline", default: .seconds(30)),
            stallLimit: EnvironmentLimits.duration("liveness.stall", default: .seconds(10)),
            busPatience: EnvironmentLimits.duration("bus.patience", default: .milliseconds(5)),
            queuedByteLimit: EnvironmentLimits.integer("bus.queue-mebibytes", in: 1...65536, default: 64) << 20)
        configuration.journal = .fromEnvironment()
        // Before any thread exists: modules find their files below it.
        setenv("RELUX_STATE", configuration.run.state, 1)
        do {
            try configuration.run.create()
            let runtime = try HostRuntime(configuration: configuration)
            Signals.onTermination { runtime.requestEnd() }
            if let descriptor = Lifeline.inherited(),
                !Lifeline.watch(descriptor, graceSeconds: 10, ended: { runtime.requestEnd() })
            {
                fail(EX_OSERR, "no thread to watch the supervisor's lifeline")
            }
            // Nothing that a fresh start would mend: the supervisor does not try again by itself.
            exit(try await runtime.run(linked: linked) ? EX_OK : EX_CONFIG)
        } catch {
            fail(EX_SOFTWARE, "\(error)")
        }
    }

    private static func printAndExit(_ answer: () throws(LoaderError) -> some Encodable) -> Never {
        do {
            print(try JSON.encode(answer()))
            exit(EX_OK)
        } catch {
            fail(EX_DATAERR, "\(error)")
        }
    }

    private static func fail(_ code: Int32, _ message: String) -> Never {
        StandardError.write("relux-host: \(message)")
        exit(code)
    }
}
