import CReluxProcess
import Foundation
import Glibc
import ReluxControl
import ReluxTestKit

/// Faults that are done to what a process has on the disk, and to its descriptors.
extension ChaosRun {
    /// Deletes what the process has in the run directory, journals and state aside, and waits until it has made it anew or has ended: what
    /// nobody remembers, because its process was killed as well, is no fault that a cluster is to bear.
    ///
    /// - Returns: false when the process has ended before.
    func vanish(_ step: FaultPlan.Step, _ pid: Int32) async throws -> Bool {
        let run = cluster.run
        guard let life = ProcessTable.life(pid), let process = cluster.processes.first(where: { $0.life == life }) else { return false }
        let paths = Self.places(of: process, in: run)
        // In the moment of its start it has not made them yet.
        guard paths.allSatisfy({ access($0, F_OK) == 0 }) else { return false }
        faults.note(.vanish, step.target, pid)
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
        try await offPool {
            try poll(for: "\(step.target) to make anew \(paths.joined(separator: " "))") {
                let left = paths.filter { access($0, F_OK) != 0 }
                return left.isEmpty || ProcessTable.life(pid) != life ? true : nil
            }
        }
        return true
    }

    private static func places(of process: ProcessTable.Entry, in run: RunDirectory) -> [String] {
        func file(_ endpoint: String) -> String { String(endpoint.dropFirst("ipc://".count)) }
        if let host = process.host {
            let socket = file(run.endpoint(of: host))
            return [socket, socket + ".lock", file(run.tapEndpoint(of: host))]
        }
        if process.executable == "relux-broker" {
            return [run.brokerSocket, run.brokerSocket + ".lock", file(run.membersEndpoint), run.registry, run.registry + ".lock"]
        }
        return [run.supervisorPid, run.key, run.crashes]
    }

    /// Connects to the process until nobody new is let in, and hangs up when the step's length is over; meanwhile the plan goes on.
    ///
    /// - Returns: false when the process has ended before.
    func crowd(_ step: FaultPlan.Step, _ pid: Int32) async throws -> Bool {
        let run = cluster.run
        guard let life = ProcessTable.life(pid), let process = cluster.processes.first(where: { $0.life == life }) else { return false }
        let socket = process.host.map { String(run.endpoint(of: $0).dropFirst("ipc://".count)) } ?? run.brokerSocket
        // More than three processes need, and few enough to be used up at once.
        guard relux_process_limit(pid, Int32(RLIMIT_NOFILE.rawValue), 128) == 0 else { return false }
        faults.note(.crowd, step.target, pid)
        let left = Watched(false)
        Thread {
            let end = ContinuousClock.now + step.length
            var peers: [Int32] = []
            while ContinuousClock.now < end {
                if peers.count < 200, let peer = RawPeer.connected(to: socket, waits: false) { peers.append(peer) } else { usleep(1000) }
            }
            for peer in peers { close(peer) }
            left.update { $0 = true }
        }.start()
        thaws.append(left)
        return true
    }

    /// Kills the process and puts the journal of its module back from a backup that is as new as can be, in files of its own. The supervisor stands
    /// still meanwhile, so that nobody writes into what is copied.
    ///
    /// - Returns: false when the process has ended before.
    func restore(_ step: FaultPlan.Step, _ pid: Int32) async throws -> Bool {
        guard let supervisor = Faults.pid(Faults.supervisor, in: cluster.run.path) else { return false }
        let stillness = Freeze(supervisor)
        defer { stillness.thaw() }
        guard try await faults.kill(step.target, pid, isFault: false) else { return false }
        faults.note(try putBack(step) ? .restore : .kill, step.target, pid)
        return true
    }

    /// - Returns: false when the copy did not take the journal's place; then the fault was no more than the death.
    private func putBack(_ step: FaultPlan.Step) throws -> Bool {
        let module = step.target.hasSuffix(".*") ? String(step.target.dropLast(2)) : step.target
        let journal = cluster.run.journal(of: module)
        // On the same disk, where a rename needs no room.
        let (copy, old) = (cluster.run.path + "/copy", cluster.run.path + "/old")
        defer { for path in [copy, old] { try? FileManager.default.removeItem(atPath: path) } }
        // A full disk takes no backup.
        guard (try? FileManager.default.copyItem(atPath: journal, toPath: copy)) != nil else { return false }
        // Another life may have been on its way, or somebody else has let the supervisor go on: what that one has written is no part of the copy.
        let isTaken = cluster.processes.contains { ($0.host ?? "") == module || ($0.host ?? "").hasPrefix(module + ".") }
        guard !isTaken else { return false }
        try FileManager.default.moveItem(atPath: journal, toPath: old)
        try FileManager.default.moveItem(atPath: copy, toPath: journal)
        return true
    }
}
