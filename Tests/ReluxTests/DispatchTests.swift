import Relux
import Testing

private enum Ping: Relux.Effect, Equatable {
    case ping(Int)
    case echo(String)
}

private actor Counter: Relux.BusinessState {
    var total = 0
    func reduce(with action: any Relux.Action) async {
        if case .ping(let n)? = action as? Ping { total += n }
    }
    func cleanup() async { total = 0 }
}

private actor Echo: Relux.Flow {
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        switch effect as? Ping {
        case .ping(let n) where n > 0:
            return await actions { Ping.ping(n - 1) }
        case .ping: return .success
        case .echo(let text): return .success(text)
        case nil: return .success
        }
    }
}

private struct Module: Relux.Module {
    let states: [any Relux.AnyState] = [Counter()]
    let sagas: [any Relux.Saga] = [Echo()]
    var moduleID: ModuleID { "Ping" }
}

@Suite struct DispatchTests {
    @Test func `a flow's value comes back to whoever awaits the effect`() async {
        let node = await Relux().register { Module() }
        let result = await node.dispatcher.actions { Ping.echo("hello") }
        #expect(result.value(String.self, from: "Ping") == "hello")
        #expect(result.isSuccess)
    }

    @Test func `a saga that awaits a nested dispatch to its own process completes`() async {
        let node = await Relux().register { Module() }
        let result = await node.dispatcher.actions { Ping.ping(10) }
        #expect(result.isSuccess)
        let total = await node.store.getState(Counter.self)?.total
        #expect(total == 55)
    }
}
