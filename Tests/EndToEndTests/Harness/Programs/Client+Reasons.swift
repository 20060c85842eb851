import ReluxControl
import ReluxWire

@testable import ReluxCLI

extension Client {
    /// Waits until `relux module why-not` says so of the module.
    ///
    /// - Parameter meanwhile: done before each question.
    func isTold(_ words: String, of module: ModuleID, meanwhile: @escaping @Sendable () throws -> Void = {}) async throws {
        _ = try await talk { client in
            var told: [String] = []
            return try poll(for: "\(module) to be told: \(words)", last: { told.joined(separator: "; ") }) { () throws -> Bool? in
                try meanwhile()
                guard case .whyNot(let unmet, let notes) = try client.ask(.whyNot(module: module), timeout: watchdog) else { return nil }
                let lines = unmet + notes
                told = lines
                return lines.contains { $0.contains(words) } ? true : nil
            }
        }
    }
}
