import Relux
import ReluxTestKit

struct ScriptedModule: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let relays: [any Relux.StateRelaying]
}

/// Handles effects as its scripts say.
final class ScriptedFlow: Relux.Flow {
    private let member: Member
    private let gates: Gates
    private let onEvent: @Sendable (Event) -> Void

    init(_ member: Member, gates: Gates, onEvent: @escaping @Sendable (Event) -> Void) {
        self.member = member
        self.gates = gates
        self.onEvent = onEvent
    }

    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let effect = effect as? any NumberedEffect, let domain = Domain.of(effect), let script = member.handles[domain]
        else { return .failure(Relux.Failure(domain: "probe", code: "unscripted", message: "\(effect)")) }
        return await run(script, effect.number)
    }

    private func run(_ script: Script, _ number: Int) async -> Relux.ActionResult {
        switch script {
        case .succeed: return .success
        case .value(let value): return .success(value)
        case .number(let times, let plus): return .success(number * times + plus)
        case .fail(let code): return .failure(Relux.Failure(domain: "probe", code: code, message: "as its script says"))
        case .hang:
            try? await Task.sleep(for: .seconds(86_400))
            return .success
        case .ask(let domain): return await actions { domain.effect(number) }
        case .later(let domain):
            performAsync(delay: .milliseconds(1)) { domain.effect(number + 1) }
            return .success
        case .note(let rest):
            let left = Relux.Scope.current?.handler?.deadline.map { $0 - Relux.NodeClock.continuous.now() }
            onEvent(
                .came(
                    .init(
                        module: member.id, number: number,
                        remainingMilliseconds: left.map { Int($0 / .milliseconds(1)) })))
            return await run(rest, number)
        case .pass(let gate, let rest):
            onEvent(.waits(gate: gate))
            await gates[gate].pass()
            return await run(rest, number)
        case .tell(let rest):
            let result = await run(rest, number)
            onEvent(.answered(member.id, Answer(result)))
            return result
        }
    }
}

/// Gates by name, made when they are first spoken of.
final class Gates: Sendable {
    private let gates = Watched<[String: Gate]>([:])

    subscript(name: String) -> Gate {
        gates.update { gates in
            let gate = gates[name] ?? Gate()
            gates[name] = gate
            return gate
        }
    }
}
