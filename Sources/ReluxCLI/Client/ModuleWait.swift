import Foundation
import ReluxControl
import ReluxWire

/// Waits until a module has come to rest, and says where. A module that waits for what comes by itself, such as another one that is started again, has
/// not: it is at rest when nothing brings what it waits for.
struct ModuleWait {
    let module: ModuleID
    /// Only a later instance counts.
    var epochOver: Epoch?
    /// The build that is to be ready; nil for whichever serves.
    var directory: String?

    private static let pollMicroseconds: UInt32 = 50_000
    /// A shorter wait is not spoken of, and a module that waits longer for what nothing brings is reported as waiting.
    private static let quietLimit = BrokerClient.quietLimit

    func run(_ session: CommandSession, _ client: borrowing BrokerClient) throws(CLIError) -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + session.timeout(.seconds(30))
        var absentSince: ContinuousClock.Instant?
        var said: ModuleState?
        // A start that comes to nothing ends where it began.
        var hasLeftQuarantine = false
        var last: ClusterStatus.Module?
        while clock.now < end {
            let status = try session.status(client)
            if status.isClosing { throw .takenDown(try session.location().run, before: "\(module) was ready") }
            let found = status.modules.first { $0.id == module }
            last = found
            let isAbsent = status.picture.absences[module] != nil
            let isLater = found.map(isLater) ?? false
            if let found, found.state.phase != .quarantined { hasLeftQuarantine = true }
            if let found, isLater || found.state.phase == .refused || found.state.phase == .quarantined && hasLeftQuarantine {
                switch found.state.phase {
                case .ready:
                    if let directory, !found.directory.isEmpty, name(found.directory) != name(directory) {
                        // The broker's line says how it ended.
                        let why = status.notes.last { $0.kind == .returned && $0.module == module }.map { "; \($0.text)" } ?? ""
                        throw CLIError(
                            .failed, "module.notServed", "\(module) is ready from \(found.directory): what lies in \(directory) ended before it was ready\(why)",
                            hint: "relux logs \(module)")
                    }
                    session.say("\(module)  ready  \(found.readyMilliseconds)ms  pid \(found.pid)")
                    return .ok
                case .refused, .quarantined:
                    throw CLIError(
                        .refused, "module.\(found.state.phase.rawValue)",
                        "\(module) is \(found.state.phase.rawValue): \(found.state.why)",
                        hint: "relux module why-not \(module)")
                case .waiting where isAbsent, .declared where isAbsent, .verified where isAbsent:
                    if let since = absentSince, since.duration(to: clock.now) >= Self.quietLimit {
                        session.say("\(module)  \(found.state.phase.rawValue)  \(found.state.why)")
                        return .ok
                    }
                    absentSince = absentSince ?? clock.now
                default: absentSince = nil
                }
            }
            if let found, absentSince == nil, said != found.state, start.duration(to: clock.now) >= Self.quietLimit {
                session.say("waiting for \(module) to be ready: \(former(found) ?? "it is \(found.state.text)")")
                said = found.state
            }
            usleep(Self.pollMicroseconds)
        }
        let why = last.map { former($0).map { "not ready: \($0)" } ?? "still \($0.state.text)" } ?? "still unknown"
        throw CLIError(
            .timeout, "module.notReady", "\(module) is \(why); --timeout waits longer",
            hint: "relux module why-not \(module)")
    }

    private func isLater(_ found: ClusterStatus.Module) -> Bool { epochOver.map { found.epoch > $0 } ?? true }

    /// The state of the module's former process, which has to end first; nil when the wait is for something else.
    private func former(_ found: ClusterStatus.Module) -> String? {
        guard !isLater(found), found.pid > 0 else { return nil }
        let isStopped = ProcessState.isStopped(found.pid)
        return "its process of before, \(found.pid), has to end first, and "
            + (isStopped ? "was stopped by a signal: it is killed when its time to end is over" : "is \(found.state.text)")
    }

    /// The same build has the same one wherever it lies.
    private func name(_ directory: String) -> Substring? { directory.split(separator: "/").last }
}
