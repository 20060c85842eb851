import Foundation
import ReluxBus
import ReluxWire

/// Waits until a module has come to rest, and says where.
struct ModuleWait {
    let module: ModuleID
    /// Only a later instance counts.
    var epochOver: Epoch?

    private static let pollMicroseconds: UInt32 = 50_000
    /// A module that waits for something else for so long is reported as waiting.
    private static let waitingLimit: Duration = .milliseconds(1500)

    func run(_ session: CommandSession, _ client: borrowing BrokerClient) throws(CLIError) -> ExitStatus {
        let clock = ContinuousClock()
        let end = clock.now + session.timeout(.seconds(30))
        var waitingSince: ContinuousClock.Instant?
        var last: ClusterStatus.Module?
        while clock.now < end {
            let status = try session.status(client)
            if status.isClosing { throw .takenDown(try session.location().run, before: "\(module) was ready") }
            let found = status.modules.first { $0.id == module }
            last = found
            if let found, epochOver.map({ found.epoch > $0 }) ?? true || found.state.phase == .refused {
                switch found.state.phase {
                case .ready:
                    session.say("\(module)  ready  \(found.readyMilliseconds)ms  pid \(found.pid)")
                    return .ok
                case .refused, .quarantined:
                    throw CLIError(
                        .refused, "module.\(found.state.phase.rawValue)",
                        "\(module) is \(found.state.phase.rawValue): \(found.state.why)",
                        hint: "relux module why-not \(module)")
                case .waiting, .declared, .verified:
                    if let since = waitingSince, since.duration(to: clock.now) >= Self.waitingLimit {
                        session.say("\(module)  \(found.state.phase.rawValue)  \(found.state.why)")
                        return .ok
                    }
                    waitingSince = waitingSince ?? clock.now
                default: waitingSince = nil
                }
            }
            usleep(Self.pollMicroseconds)
        }
        throw CLIError(
            .timeout, "module.notReady", "\(module) is still \(last?.state.phase.rawValue ?? "unknown")",
            hint: "relux module why-not \(module)")
    }
}
