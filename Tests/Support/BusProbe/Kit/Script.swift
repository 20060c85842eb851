/// The work of a handler on an effect, as data, so that it can be told to a member in another process.
package indirect enum Script: Codable, Sendable {
    case succeed
    case value(Int)
    /// Answers with the effect's number, multiplied and increased.
    case number(times: Int = 1, plus: Int = 0)
    case fail(code: String)
    case hang
    /// Awaits an effect with the same number, and answers with what comes back.
    case ask(Domain)
    /// Says an effect with the next number in a moment, without waiting, and succeeds.
    case later(Domain)
    /// Says ``Event/came(_:)``, then goes on.
    case note(then: Script)
    /// Says ``Event/waits(gate:)``, and goes on when the gate is opened.
    case pass(gate: String, then: Script)
    /// Says ``Event/answered(_:_:)`` with the answer of the rest before it gives it.
    case tell(Script)
}
