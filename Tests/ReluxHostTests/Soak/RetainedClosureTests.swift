import Synchronization
import Testing

/// The facts that the rule `state.closure` rests on: which holders wrap a closure anew at each access.
@Suite struct RetainedClosureTests {
    private typealias Body = @Sendable () -> Void

    private struct Held {
        var body: Body?
    }
    private struct Box<Value> {
        var value: Value
    }
    private let probe = StackProbe()

    @Test func `a closure that is a struct's property, or an element, runs as deep as at first`() {
        let held = Mutex(Held(body: probe.note))
        #expect(probe.growth(access: { _ = held.withLock { $0.body } }, call: { held.withLock { $0.body }?() }) == 0)
        let list = Mutex([probe.note])
        #expect(probe.growth(access: { _ = list.withLock { $0[0] } }, call: { list.withLock { $0[0] }() }) == 0)
        let table = Mutex(["a": probe.note])
        #expect(probe.growth(access: { table.withLock { $0["b"] = $0["a"] } }, call: { table.withLock { $0["a"] }?() }) == 0)
        let boxed = Mutex(Box(value: probe.note))
        #expect(probe.growth(access: { _ = boxed.withLock { $0.value } }, call: { boxed.withLock { $0.value }() }) == 0)
    }

    @Test func `a closure that is the value of a lock runs deeper after each access`() {
        // lint:allow state.closure: the fault itself, to see that it is still one
        let value = Mutex<Body?>(probe.note)
        #expect(probe.growth(access: { _ = value.withLock { $0 } }, call: { value.withLock { $0 }?() }) > 1_000)
    }
}
