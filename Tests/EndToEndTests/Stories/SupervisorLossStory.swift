import Glibc
import ReluxBus
import Testing

extension EndToEnd {
    @Suite struct SupervisorLoss {
        @Test(arguments: [false, true])
        func `nothing outlives a killed supervisor, and up works afterwards`(_ withStoppedHost: Bool) async throws {
            try await Cluster.play { cluster in
                let load = Load(on: cluster, try Load.mixed(), seed: 41)
                try await load.answers(200)
                let status = try await cluster.client.status()
                let notes = try await cluster.client.module("Notes").pid
                let before = cluster.processes
                #expect(before.count == status.modules.count + 2)
                if withStoppedHost { kill(notes, SIGSTOP) }
                kill(status.supervisorPid, SIGKILL)
                if withStoppedHost {
                    // Whoever can end does so without it; it ends as soon as it may run.
                    try await offPool { try ProcessEnd.wait(for: status.brokerPid, until: .now + watchdog) }
                    // The kernel may have woken it already: it continues the stopped members of an orphaned process group.
                    kill(notes, SIGCONT)
                }
                try await cluster.noProcessIsLeft()
                // The load's clients are alone now; what they emitted is nobody's any more.
                load.abandon()
                try await cluster.up()
                let again = try await cluster.client.status()
                #expect(again.modules.allSatisfy { $0.state.phase == .ready }, "\(Client.text(again))")
                #expect(again.supervisorPid != status.supervisorPid)
                let after = Load(on: cluster, try Load.mixed(), seed: 42)
                try await after.answers(100)
                let tally = try await after.stop()
                #expect(tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
            }
        }
    }
}
