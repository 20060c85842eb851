import CReluxProcess
import Foundation
import Relux
import ReluxControl
import ReluxWire
import Synchronization
import Testing

@testable import ReluxHost

@Suite struct BlockedThreadsTests {
    private static let run = Relux.Exchange.OpenRun(module: "Notes", run: 1, effect: EffectID(module: "Cluster", position: 5))
    /// Here the module's code is the test's.
    private static func owner(_ library: String) -> ModuleID? { library.hasSuffix(".xctest") ? "Notes" : nil }

    enum Keeping: CaseIterable {
        case waits, computes
        /// By what lies in the library of tasks and actors, as the jobs do.
        case looksAtTheClock, asksWhetherItIsCancelled
        /// In a function that dispatches elsewhere: its frame has room for arguments.
        case waitsBesideADispatch, computesBesideADispatch
        /// In a frame with room in which earlier calls have left a chain of theirs.
        case waitsOverDeadFrames
        /// Which wakes now and then.
        case waitsForAProcess
    }

    @Test(arguments: Keeping.allCases)
    func `a handler that keeps its thread is named with where it stands, whether it waits or computes, and no more when it has let go`(
        keeping: Keeping
    ) async throws {
        let keeps = Keeps()
        let (name, keep): (String, @Sendable (Keeps) -> Void) =
            switch keeping {
            case .waits, .waitsBesideADispatch: ("standsStill", standsStill)
            case .computes, .computesBesideADispatch: ("computesOn", computesOn)
            case .looksAtTheClock: ("looksAtTheClock", looksAtTheClock)
            case .asksWhetherItIsCancelled: ("asksWhetherItIsCancelled", asksWhetherItIsCancelled)
            case .waitsOverDeadFrames: ("standsOverDeadFrames", standsOverDeadFrames)
            case .waitsForAProcess: ("waitsForAProcess", waitsForAProcess)
            }
        let isBeside = [.waitsBesideADispatch, .computesBesideADispatch].contains(keeping)
        let kept = Task.detached { if isBeside { await dispatchesOr(nil, keep, keeps) } else { keep(keeps) } }
        defer { keeps.isOver.store(true, ordering: .releasing) }
        // The pool may have no other thread.
        try await onThread {
            while !keeps.hasBegun.load(ordering: .acquiring) { usleep(1000) }
            var threads = BlockedThreads()
            func look() -> [BlockedHandler] {
                usleep(20_000)
                return threads.look([Self.run], owner: Self.owner).filter { $0.frames.contains { $0.contains(name) } }
            }
            var found: [BlockedHandler] = []
            while found.isEmpty { found = look() }
            #expect(found[0].module == "Notes" && found[0].effect == Self.run.effect && found[0].milliseconds >= 1000)
            #expect(found[0].isBusy == [.computes, .looksAtTheClock, .asksWhetherItIsCancelled, .computesBesideADispatch].contains(keeping))
            // The handler has not ended, but waits in a way that keeps no thread.
            keeps.isOver.store(true, ordering: .releasing)
            while !found.isEmpty { found = look() }
            #expect(threads.look([], owner: Self.owner).isEmpty)
        }
        await kept.value
    }

    @Test func `a thread counts only by code of a module inside of a Swift job`() {
        let job = BlockedThreads.Frame(library: "libswift_Concurrency.so", name: "swift_job_run")
        let code = BlockedThreads.Frame(library: "libNotesReluxImpl.so", name: "Flow.apply")
        let system = BlockedThreads.Frame(library: "libc.so.6", name: "sleep")
        let owner = { (library: String) -> ModuleID? in library == code.library ? "Notes" : nil }
        let kept = BlockedThreads.keeper([system, code, job, system], owner)
        #expect(kept?.module == "Notes" && kept?.frames == [system, code] && kept?.inner == 1)
        let clock = BlockedThreads.keeper([job, code, code, job, system], owner)
        #expect(clock?.module == "Notes" && clock?.frames == [job, code, code], "code that asks the clock")
        #expect(BlockedThreads.keeper([system, job], owner) == nil, "an idle thread of the pool")
        #expect(BlockedThreads.keeper([system, job, code], owner) == nil, "a main program that is asynchronous")
        #expect(BlockedThreads.keeper([system, code], owner) == nil, "a thread of the module's own")
    }
}

/// On a thread of its own.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

private final class Keeps: Sendable {
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
}

@inline(never) private func dispatchesOr(_ said: [any Relux.Action]?, _ keep: @Sendable (Keeps) -> Void, _ keeps: Keeps) async {
    guard let said else { return keep(keeps) }
    await actions(actions: { for action in said { action } }, label: "beside")
}

@inline(never) private func standsStill(_ keeps: Keeps) {
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { return }
    var waited = pollfd(fd: pipes[0], events: Int16(POLLIN), revents: 0)
    keeps.hasBegun.store(true, ordering: .releasing)
    // Longer than it takes to be found.
    while !keeps.isOver.load(ordering: .acquiring) { poll(&waited, 1, 4000) }
    close(pipes[0])
    close(pipes[1])
}

@inline(never) private func standsOverDeadFrames(_ keeps: Keeps) {
    // Somebody returns there, outside of any module and of the library of jobs.
    let elsewhere = Thread.callStackReturnAddresses.map(\.uintValue).first { address in
        relux_code_library(address - 1, nil, 0).map { String(cString: $0).contains("libdispatch") } ?? false
    }
    guard let elsewhere else { return }
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { return }
    var waited = pollfd(fd: pipes[0], events: Int16(POLLIN), revents: 0)
    // In the frame of the function that waits: what lies further out is found behind it.
    var room = InlineArray<160, UInt>(repeating: 0)
    let place = withUnsafeMutablePointer(to: &room) { UInt(bitPattern: $0) }
    for frame in 0..<5 {
        room[frame * 20] = place + UInt(frame + 1) * 160
        room[frame * 20 + 1] = elsewhere
    }
    keeps.hasBegun.store(true, ordering: .releasing)
    while !keeps.isOver.load(ordering: .acquiring) { poll(&waited, 1, 4000) }
    withExtendedLifetime(room) {}
    close(pipes[0])
    close(pipes[1])
}

@inline(never) private func waitsForAProcess(_ keeps: Keeps) {
    keeps.hasBegun.store(true, ordering: .releasing)
    while !keeps.isOver.load(ordering: .acquiring) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["4"]
        guard (try? process.run()) != nil else { return }
        process.waitUntilExit()
    }
}

@inline(never) private func computesOn(_ keeps: Keeps) {
    keeps.hasBegun.store(true, ordering: .releasing)
    while !keeps.isOver.load(ordering: .acquiring) {}
}

@inline(never) private func looksAtTheClock(_ keeps: Keeps) {
    keeps.hasBegun.store(true, ordering: .releasing)
    let end = ContinuousClock.now + .seconds(3600)
    while ContinuousClock.now < end, !keeps.isOver.load(ordering: .acquiring) {}
}

@inline(never) private func asksWhetherItIsCancelled(_ keeps: Keeps) {
    keeps.hasBegun.store(true, ordering: .releasing)
    while !Task.isCancelled, !keeps.isOver.load(ordering: .acquiring) {}
}
