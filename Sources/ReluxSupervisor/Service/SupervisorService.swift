import Foundation
import Glibc
package import Logging
package import ReluxControl
package import ReluxSystem

/// The supervisor of one node: the state machine, its children and its link to the broker on a thread of their own.
package struct SupervisorService: Sendable {
    package var launch: Launch
    package var hosts: [HostSpec]
    /// The request to the broker beside the hosts.
    package var start: SupervisorHello.Start?
    package var settings: SupervisorMachine.Settings
    /// All that the configuration says, by key: whoever compares its file with this cluster later finds it in the run directory.
    package var configured: [String: String]
    package var link: any BrokerLink
    package var logger: Logger
    /// Take the process's SIGTERM, SIGINT and SIGHUP as orders to shut down; for mains.
    package var takesSignals: Bool
    /// Who has started this process and wants to hear how it goes, if anybody does.
    package var manager: ServiceManager?
    /// The time since the supervisor's start, by a clock of its own; another one for tests.
    var elapsed: @Sendable () -> Duration

    package init(
        launch: Launch, hosts: [HostSpec], start: SupervisorHello.Start? = nil, settings: SupervisorMachine.Settings,
        configured: [String: String] = [:], link: any BrokerLink, logger: Logger, takesSignals: Bool = false
    ) {
        self.launch = launch
        self.hosts = hosts
        self.start = start
        self.settings = settings
        self.configured = configured
        self.link = link
        self.logger = logger
        self.takesSignals = takesSignals
        let start = ContinuousClock.now
        elapsed = { ContinuousClock.now - start }
    }

    /// Takes the run directory, starts the broker, does what it orders and returns when every child has ended: after
    /// the order `shutdown`, a signal, or the cancellation of the task.
    ///
    /// - Throws: `RunDirectoryError` when the directory cannot be had or another supervisor owns it, `SpawnError` when
    ///   there are no descriptors left: nothing has been started then. `RunDirectoryError`, too, when the directory was taken
    ///   away or another supervisor has come into this one's place: every child has ended then.
    package func run() async throws {
        let place = try SupervisorPlace(launch.directory, settings: configured)
        // The thread may refer to it for a moment longer.
        defer { place.release() }
        let inbox = SupervisorInbox()
        if takesSignals { try SupervisorSignals.watch { inbox.post(.asked(signal: $0)) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                // Not a task: it waits in poll, which Swift's own threads must never do.
                let thread = Thread {
                    do {
                        let loop = try SupervisorLoop(self, inbox: inbox, place: place)
                        try loop.run()
                        done.resume()
                    } catch {
                        done.resume(throwing: error)
                    }
                }
                thread.name = "supervisor"
                thread.start()
            }
        } onCancel: {
            inbox.post(.asked(signal: SIGTERM))
        }
    }
}
