package import Relux

/// A result as tests look at it, and as it crosses processes apart from the bus.
package struct Answer: Codable, Sendable {
    package struct Outcome: Codable, Sendable {
        package var module: ModuleID
        package var status: Relux.ActionResult.Status
        package var value: Int?
        package var code: String?
        package var message: String?
    }
    package var outcomes: [Outcome]
    package var isSuccess: Bool
    package var isUnhandled: Bool

    init(_ result: Relux.ActionResult) {
        outcomes = result.outcomes.map {
            Outcome(
                module: $0.recipient.module, status: $0.status, value: $0.value?.decode(Int.self), code: $0.failure?.code,
                message: $0.failure?.message)
        }
        isSuccess = result.isSuccess
        isUnhandled = result.isUnhandled
    }

    package var statuses: [ModuleID: Relux.ActionResult.Status] {
        Dictionary(outcomes.map { ($0.module, $0.status) }) { first, _ in first }
    }
    package var recipients: Set<ModuleID> { Set(outcomes.map(\.module)) }
    package var codes: [String] { outcomes.compactMap(\.code) }
    package func value(from module: ModuleID) -> Int? { outcomes.first { $0.module == module }?.value }
}
