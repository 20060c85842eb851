@testable import ReluxDevLoop
import Testing

@Suite struct DevMachineTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func machine(_ change: (inout DevMachine.Options) -> Void = { _ in }) -> DevMachine {
        var options = DevMachine.Options()
        change(&options)
        return DevMachine(options)
    }

    /// The actions that all events at one time lead to.
    private func play(_ machine: inout DevMachine, _ events: DevMachine.Event...) -> [DevMachine.Action] {
        events.flatMap { machine.on($0, now: start) }
    }

    /// A machine whose step is this one.
    private func running(_ step: DevStep, _ change: (inout DevMachine.Options) -> Void = { _ in }) -> DevMachine {
        var machine = machine(change)
        var actions = machine.on(.begin, now: start)
        while actions.last != .start(step) {
            guard case .start(let present)? = actions.last else { preconditionFailure("\(step) never comes") }
            actions = machine.on(.ended(present == .look ? .looked(isServed: step == .upgrade) : .passed), now: start)
        }
        return machine
    }

    @Test(arguments: [(true, DevStep.upgrade), (false, .load)])
    func `a round goes through all steps, and upgrades what is served or loads what is not`(isServed: Bool, last: DevStep) {
        var machine = machine()
        let actions = play(
            &machine, .begin, .ended(.passed), .ended(.passed), .ended(.passed), .ended(.passed), .ended(.passed), .ended(.looked(isServed: isServed)),
            .ended(.passed))
        let steps = [DevStep.generate, .build, .lint, .test, .pack, .look, last].map { DevMachine.Action.start($0) }
        #expect(actions == [.beginRound(1)] + steps + [.endRound(.passed), .wait])
        #expect(machine.deadline == nil)
    }

    @Test func `without tests it packs what is linted`() {
        var machine = machine { $0.hasTests = false }
        #expect(play(&machine, .begin, .ended(.passed), .ended(.passed), .ended(.passed)).last == .start(.pack))
    }

    @Test(arguments: DevStep.allCases)
    func `the first step that fails ends the round, and the next change begins another`(step: DevStep) {
        var machine = running(step)
        #expect(play(&machine, .ended(.failed(status: 6))) == [.endRound(.failed(step)), .wait])
        #expect(machine.on(.changed, now: at(0)).isEmpty)
        #expect(machine.on(.tick, now: at(200)) == [.beginRound(2), .start(.generate)])
    }

    @Test(arguments: DevStep.allCases)
    func `once ends with what the step ended with`(step: DevStep) {
        var machine = running(step) { $0.isOnce = true }
        #expect(play(&machine, .ended(.failed(status: 6))) == [.endRound(.failed(step)), .exit(6)])
        #expect(play(&machine, .changed, .tick, .interrupted, .ended(.passed)).isEmpty)
        var other = running(.upgrade) { $0.isOnce = true }
        #expect(play(&other, .ended(.passed)) == [.endRound(.passed), .exit(0)])
    }

    @Test func `a round begins when the sources have been quiet, or when somebody has been patient enough`() {
        var machine = running(.build)
        _ = play(&machine, .ended(.failed(status: 1)))
        _ = machine.on(.changed, now: at(0))
        #expect(machine.deadline == at(200))
        _ = machine.on(.changed, now: at(150))
        #expect(machine.deadline == at(350))
        #expect(machine.on(.tick, now: at(200)).isEmpty)
        for time in stride(from: 300, to: 1900, by: 150) { _ = machine.on(.changed, now: at(time)) }
        _ = machine.on(.changed, now: at(1990))
        #expect(machine.deadline == at(2000))
        #expect(machine.on(.tick, now: at(2000)) == [.beginRound(2), .start(.generate)])
    }

    @Test(arguments: [DevStep.generate, .build, .lint, .test, .pack, .look])
    func `a change ends the step, and when it has ended and all is quiet a new round begins`(step: DevStep) {
        var machine = running(step)
        #expect(machine.on(.changed, now: at(0)) == [.end(step, byForce: false)])
        #expect(machine.on(.changed, now: at(10)).isEmpty)
        #expect(machine.on(.ended(.failed(status: 1)), now: at(100)) == [.endRound(.stale)])
        #expect(machine.on(.tick, now: at(299)).isEmpty)
        #expect(machine.on(.tick, now: at(300)) == [.beginRound(2), .start(.generate)])
    }

    @Test func `a step that does not end is ended by force`() {
        var machine = running(.test)
        _ = machine.on(.changed, now: at(0))
        #expect(machine.deadline == at(5000))
        #expect(machine.on(.tick, now: at(4999)).isEmpty)
        #expect(machine.on(.tick, now: at(5000)) == [.end(.test, byForce: true)])
        #expect(machine.deadline == nil)
    }

    @Test(arguments: [DevStep.load, .upgrade], [StepEnd.passed, .failed(status: 6)])
    func `a deployment is let end, and the change comes after it`(step: DevStep, end: StepEnd) {
        var machine = running(step)
        #expect(machine.on(.changed, now: at(0)).isEmpty)
        #expect(machine.on(.ended(end), now: at(50)) == [.endRound(end == .passed ? .passed : .failed(step))])
        #expect(machine.on(.tick, now: at(250)) == [.beginRound(2), .start(.generate)])
    }

    @Test(arguments: DevStep.allCases)
    func `an interruption ends the step, whichever, and a second one by force`(step: DevStep) {
        var machine = running(step)
        #expect(play(&machine, .interrupted) == [.end(step, byForce: false)])
        #expect(play(&machine, .changed).isEmpty)
        #expect(play(&machine, .interrupted) == [.end(step, byForce: true)])
        #expect(play(&machine, .ended(.failed(status: 1))) == [.endRound(.stale), .exit(130)])
    }

    @Test func `an interruption of one that is ended for a change lets no round follow`() {
        var machine = running(.build)
        #expect(play(&machine, .changed, .interrupted) == [.end(.build, byForce: false), .end(.build, byForce: false)])
        #expect(play(&machine, .ended(.passed)) == [.endRound(.stale), .exit(130)])
    }

    @Test func `who waits, or begins to, ends at once`() {
        var machine = running(.build)
        _ = play(&machine, .ended(.failed(status: 1)))
        var other = machine
        #expect(play(&machine, .interrupted) == [.exit(130)])
        #expect(play(&other, .changed, .interrupted) == [.exit(130)])
    }
}
