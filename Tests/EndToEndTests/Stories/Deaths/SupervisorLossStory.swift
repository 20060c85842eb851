import Glibc
import ReluxControl
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct SupervisorLoss {
        @Test func `a supervisor that was stopped is named by every command that counts on it, and down ends it`() async throws {
            try await Cluster.play { cluster in
                let pid = try await cluster.client.status().supervisorPid
                kill(pid, SIGSTOP)
                let why = "supervisor \(pid) was stopped by a signal"
                let status = try await cluster.cli("status")
                #expect(status.status == 0 && status.stdout.contains(why) && status.stdout.contains("kill -CONT \(pid)"), "\(status)")
                let json = try await cluster.cli("status", "--json")
                #expect(json.status == 0 && json.stdout.contains(why), "\(json)")
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.status == 1 && doctor.stdout.contains(why), "\(doctor)")
                let up = try await cluster.cli("up")
                #expect(up.status == 5 && up.stderr.contains(why), "\(up)")
                let down = try await cluster.cli("down")
                #expect(down.status == 0, "\(down)")
                try await cluster.noProcessIsLeft()
            }
        }

        @Test func `a pipe that nobody reads in the place of a log holds nobody up`() async throws {
            try await Cluster.play { cluster in
                let log = cluster.run.log(of: "Notes")
                unlink(log)
                #expect(mkfifo(log, 0o600) == 0)
                let notes = try await cluster.client.module("Notes").pid
                kill(notes, SIGKILL)
                _ = try await cluster.client.status(when: "another life of Notes") { status in
                    status.modules.contains { $0.id == "Notes" && $0.state.phase == .ready && $0.pid != notes }
                }
                var found = stat()
                #expect(stat(log, &found) == 0 && found.st_mode & S_IFMT == S_IFREG)
                let pipe = cluster.run.log(of: "pipe")
                #expect(mkfifo(pipe, 0o600) == 0)
                let logs = try await cluster.cli("logs", "-n", "1")
                #expect(logs.status == 0, "\(logs)")
            }
        }

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
