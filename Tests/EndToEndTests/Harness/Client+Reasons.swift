import ReluxBus
import ReluxWire

@testable import ReluxCLI

extension Client {
    /// Waits until `relux module why-not` says so of the module.
    func isTold(_ words: String, of module: ModuleID) async throws {
        _ = try await talk { client in
            try poll(for: "\(module) to be told: \(words)") { () throws -> Bool? in
                guard case .whyNot(let lines) = try client.ask(.whyNot(module: module), timeout: watchdog) else { return nil }
                return lines.contains { $0.contains(words) } ? true : nil
            }
        }
    }
}
