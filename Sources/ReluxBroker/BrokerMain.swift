import Glibc
import ReluxBus
import ReluxZeroMQ
import Synchronization

/// The broker's main program: `relux-broker --run DIRECTORY`.
package enum BrokerMain {
    /// Never returns; the main thread stays with the main queue.
    package static func run(_ arguments: [String]) async -> Never {
        let words = Array(arguments.dropFirst())
        guard words.count == 2, words[0] == "--run" else { fail(EX_USAGE, "usage: relux-broker --run DIRECTORY") }
        let directory = RunDirectory(path: words[1])
        do {
            try directory.create()
            let service = try BrokerService(run: directory)
            Signals.onTermination { service.requestEnd() }
            if let descriptor = Lifeline.inherited(),
                !Lifeline.watch(descriptor, graceSeconds: 7, ended: { service.requestEnd() })
            {
                fail(EX_OSERR, "no thread to watch the supervisor's lifeline")
            }
            let (ended, end) = AsyncStream.makeStream(of: String.self)
            let thread = try SocketThread(name: "relux-broker") {
                do {
                    try service.serve()
                } catch {
                    end.yield("\(error)")
                }
                end.finish()
            }
            for await failure in ended { fail(EX_SOFTWARE, failure) }
            thread.join()
            exit(EX_OK)
        } catch {
            fail(EX_SOFTWARE, "\(error)")
        }
    }

    private static func fail(_ code: Int32, _ message: String) -> Never {
        StandardError.write("relux-broker: \(message)")
        exit(code)
    }
}
