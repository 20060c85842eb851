import ReluxIoC
import Synchronization
import Testing

/// Compiles and runs what `Sources/ReluxIoC/ReluxIoC.docc/ComingFromSwiftIoC.md` says.
@Suite(.timeLimit(.minutes(1))) struct FromSwiftIoC {
    protocol IService: Sendable {}
    struct Service: IService {}
    @MainActor final class State {}

    final class Lines: IoC.ILogger {
        let all = Mutex<[String]>([])
        func send(_ line: String) { all.withLock { $0.append(line) } }
    }

    @MainActor @Test func `registering and resolving have their names`() async throws {
        let logger = Lines()
        let ioc = IoC(logger: logger)
        ioc.register((any IService).self, lifecycle: .container, resolver: { Service() })
        ioc.register(Int.self) { 1 }
        ioc.register(
            Int.self,
            resolver: {
                await Task.yield()
                return 2
            })
        ioc.register(State.self, lifecycle: .container, onMainActor: { State() })
        #expect(ioc.get(by: (any IService).self) != nil)
        #expect(ioc.get(by: State.self) != nil)
        #expect(ioc.get(by: Int.self) == 1)
        #expect(await ioc.getAsync(by: Int.self) == 2)
        #expect(try await ioc.waitForResolve(Int.self) == 2)
        ioc.register(Int.self) { 3 }
        #expect(ioc.refusals.map(\.code) == [.alreadyRegistered])
        #expect(logger.all.withLock { $0.count } == 1)
        _ = IoC(logger: IoC.Logger(enabled: false))
    }
}
