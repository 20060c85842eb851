import Relux
import ReluxControl

extension HostRuntime {
    /// Does something with a schedule of a module of this process, and answers. An effect that is fired may wait for admission; the orders behind it do not.
    func order(_ order: ScheduleOrder, of module: ModuleID, _ client: ByteString, _ request: String) {
        let (node, link) = (served[module]?.node, link)
        Task {
            let outcome: ScheduleOrder.Outcome
            do throws(Relux.Failure) {
                outcome = .done(try await Self.carryOut(order, of: module, on: node))
            } catch {
                outcome =
                    switch error.code {
                    case "closed": .later(error.message)
                    case "schedule": .unknown(error.message)
                    default: .refused(error.message)
                    }
            }
            link.send(.scheduled(client: client, request: request, module: module, outcome))
        }
    }

    private static func carryOut(_ order: ScheduleOrder, of module: ModuleID, on node: Relux?) async throws(Relux.Failure) -> String {
        let name = order.schedule
        guard let node else {
            throw Relux.Failure(domain: "relux", code: "closed", message: "\(module) is not open now; nothing was done")
        }
        switch order.deed {
        case .fire: return "fired     \(try await node.fireSchedule(name))  \(module) \(name)"
        case .pause: return try await node.pauseSchedule(name) ? "paused    \(module) \(name)" : "paused    \(module) \(name)  already"
        case .resume: return try await node.resumeSchedule(name) ? "resumed   \(module) \(name)" : "running   \(module) \(name)  already"
        }
    }
}
