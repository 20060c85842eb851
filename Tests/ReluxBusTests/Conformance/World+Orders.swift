import BusProbeKit
import Relux
import ReluxControl
import ReluxTestKit
import Synchronization

extension World {
    /// Emits in the member's name and returns when it has settled.
    func say(_ domain: Domain, _ number: Int = 21, padding: Int = 0, by id: ModuleID) async throws -> Answer {
        let reply = try await of(id).perform(.say(domain, number, padding: padding, by: id)).checked()
        guard case .answer(let answer) = reply else { throw Unknown(what: "\(reply)") }
        return answer
    }

    /// Emits one effect for each of the numbers at the same time.
    func sayAll(_ domain: Domain, _ numbers: Range<Int>, padding: Int = 0, by id: ModuleID) async throws -> [Int: Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for number in numbers {
                group.addTask { (number, try await self.say(domain, number, padding: padding, by: id)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    func open(_ gate: String, on name: String) async throws { _ = try await obeying(name).perform(.open(gate: gate)).checked() }

    func show(_ number: Int, by id: ModuleID) async throws { _ = try await of(id).perform(.show(number, by: id)).checked() }

    func look(by id: ModuleID) async throws -> Reply.View? {
        guard case .view(let view) = try await of(id).perform(.look(by: id)).checked() else { throw Unknown(what: "\(id)") }
        return view
    }

    func counters(of name: String) async throws -> BusCounters {
        guard case .counters(let counters) = try await obeying(name).perform(.counters).checked() else {
            throw Unknown(what: name)
        }
        return counters
    }

    /// All that hosts have said of themselves until now: what one of another process says takes another way than an answer.
    func told() async throws -> Seen {
        for case let child as ChildHost in state.withLock({ $0.hosts.values.map(\.obeying) }) { _ = try await child.perform(.counters).checked() }
        return seen.value
    }

    func obeying(_ name: String) throws -> any Obeying {
        guard let host = state.withLock({ $0.hosts[name] }) else { throw Unknown(what: name) }
        return host.obeying
    }

    private func of(_ id: ModuleID) throws -> any Obeying {
        guard let name = state.withLock({ $0.members[id]?.host }) else { throw Unknown(what: "\(id)") }
        return try obeying(name)
    }
}

extension Reply {
    /// - Throws: what the host could not do.
    func checked() throws -> Reply {
        if case .failed(let why) = self { throw World.Unknown(what: why) }
        return self
    }
}
