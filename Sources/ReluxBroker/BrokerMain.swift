import Glibc
import ReluxControl
import ReluxOutput
import ReluxRegistry
import ReluxSystem
import ReluxZeroMQ
import Synchronization

/// The broker's main program: `relux-broker --run DIRECTORY`.
package enum BrokerMain {
    /// Never returns; begins on the main thread, which it leaves when it knows that others can be had. The main thread stays with the main queue.
    @MainActor package static func run(_ arguments: [String]) async -> Never {
        // Before anything is opened. What is wrong the supervisor has said, which inherits the same.
        let facts = StartConditions.settle(.daemon)
        if let finding = StartConditions.refusal(facts, .daemon) { fail(EX_OSERR, "\(finding)") }
        DescriptorFence.raise()
        await serve(arguments)
    }

    private static func serve(_ arguments: [String]) async -> Never {
        let words = Array(arguments.dropFirst())
        let usage = "usage: relux-broker --run DIRECTORY"
        if words.contains("--help") || words.contains("-h") {
            let output = ProgramOutput("relux-broker")
            output.data(usage)
            exit(output.status(EX_OK))
        }
        guard words.first == "--run" else {
            fail(EX_USAGE, words.first.map { "'\($0)' is no option; it takes --run" } ?? "--run is missing", usage)
        }
        guard words.count == 2 else { fail(EX_USAGE, words.count < 2 ? "--run needs a value" : "'\(words[2])' is one word too many", usage) }
        let directory = RunDirectory(path: words[1])
        do {
            for trouble in try directory.provide() { StandardError.write("relux-broker: \(trouble)") }
            let service = try BrokerService(run: directory)
            Signals.onTermination { service.requestEnd() }
            if let descriptor = Lifeline.inherited(),
                !Lifeline.watch(descriptor, graceSeconds: 7, ended: { service.requestEnd() })
            {
                fail(EX_OSERR, "no thread to watch the supervisor's lifeline")
            }
            let (ended, end) = AsyncStream.makeStream(of: (code: Int32, message: String).self)
            let thread = try BlockingThread(name: "relux-broker") {
                do {
                    try service.serve()
                } catch {
                    end.yield((code(of: error), "\(error)"))
                }
                end.finish()
            }
            for await failure in ended { fail(failure.code, failure.message) }
            thread.join()
            exit(EX_OK)
        } catch {
            fail(EX_SOFTWARE, "\(error)")
        }
    }

    /// Another broker that has the place is no fault of this one; it may be gone the next time.
    private static func code(of error: any Error) -> Int32 {
        switch error {
        case let error as ZeroMQError where error.isInUse: EX_TEMPFAIL
        case let error as RegistryFileError where error.code == .locked: EX_TEMPFAIL
        default: EX_SOFTWARE
        }
    }

    private static func fail(_ code: Int32, _ message: String, _ usage: String? = nil) -> Never {
        StandardError.write("relux-broker: \(message)" + (usage.map { "\n\($0)" } ?? ""))
        exit(code)
    }
}
