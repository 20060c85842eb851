import ReluxIoC
import Synchronization
import Testing

@Suite struct IoCTests {
    protocol IService: Sendable { var name: String { get } }
    final class Service: IService { let name = "service" }
    final class Other: IService { let name = "other" }
    struct Unopened: Error {}

    let lines = Lines()

    func container() -> IoC {
        IoC(logger: IoC.Logger { [lines] in lines.append($0) })
    }

    @Test func `a container value is built once and a transient one each time`() throws {
        let ioc = container()
        let built = Counter()
        ioc.register((any IService).self, lifecycle: .container) { built.increment(); return Service() }
        ioc.register(Other.self, lifecycle: .transient) { built.increment(); return Other() }
        #expect(ioc.get(by: (any IService).self) as? Service === ioc.get(by: (any IService).self) as? Service)
        #expect(built.value == 1)
        #expect(try ioc.resolve(Other.self) !== ioc.resolve(Other.self))
        #expect(built.value == 3)
    }

    @Test func `a type that nobody registered is nil, one line in the log and a typed error`() async {
        let ioc = container()
        #expect(ioc.get(by: Service.self) == nil)
        #expect(await ioc.getAsync(by: Service.self) == nil)
        #expect(lines.all.count == 2)
        #expect(lines.all.allSatisfy { $0.contains("Service") })
        #expect(throws: IoCError.self) { try ioc.resolve(Service.self) }
        await #expect { _ = try await ioc.resolveAsync(Service.self) } throws: { ($0 as? IoCError)?.code == .notRegistered }
    }

    @Test func `the place that takes a value says its type, a protocol's or the one that is kept`() throws {
        struct Two { var one: any IService; var other: Other }
        let ioc = container()
        ioc.register((any IService).self) { Service() }
        let error = #expect(throws: IoCError.self) { Two(one: try ioc.resolve(), other: try ioc.resolve()) }
        #expect(error?.code == .notRegistered && error?.message.contains("Other") == true)
        ioc.register(Other.self) { Other() }
        let two = Two(one: try ioc.resolve(), other: try ioc.resolve())
        #expect(two.one is Service && two.other.name == "other")
    }

    @Test func `a duplicate is refused and the first registration keeps working`() {
        let ioc = container()
        ioc.register((any IService).self) { Service() }
        let second = ioc.register((any IService).self) { Other() }
        #expect(throws: IoCError.self) { try second.get() }
        #expect(ioc.get(by: (any IService).self)?.name == "service")
        #expect(ioc.refusals.map(\.code) == [.alreadyRegistered])
        #expect(lines.all.count == 1)
    }

    @Test func `a replacement takes the place of the first registration`() throws {
        let ioc = container()
        ioc.register((any IService).self, lifecycle: .container) { Service() }
        #expect(ioc.get(by: (any IService).self)?.name == "service")
        try ioc.register((any IService).self, lifecycle: .container, withReplacement: true) { Other() }.get()
        #expect(ioc.get(by: (any IService).self)?.name == "other")
        #expect(ioc.refusals.isEmpty)
    }

    @Test func `a synchronous get of an asynchronous registration names the remedy`() async {
        let ioc = container()
        ioc.register((any IService).self, lifecycle: .container) { await Task.yield(); return Service() }
        #expect(ioc.get(by: (any IService).self) == nil)
        #expect(lines.all.first?.contains("getAsync") == true)
        #expect { try ioc.resolve((any IService).self) } throws: { ($0 as? IoCError)?.code == .asynchronousOnly }
        #expect(await ioc.getAsync(by: (any IService).self)?.name == "service")
    }

    @Test func `getAsync serves synchronous registrations too`() async {
        let ioc = container()
        ioc.register((any IService).self) { Service() }
        #expect(await ioc.getAsync(by: (any IService).self)?.name == "service")
    }

    @Test func `an asynchronous container value is built once for all who wait`() async {
        let ioc = container()
        let built = Counter()
        ioc.register(Service.self, lifecycle: .container) {
            built.increment()
            for _ in 0..<50 { await Task.yield() }
            return Service()
        }
        let values = await withTaskGroup(of: Service?.self) { group in
            for _ in 0..<100 { group.addTask { await ioc.getAsync(by: Service.self) } }
            return await group.reduce(into: [Service?]()) { $0.append($1) }
        }
        #expect(built.value == 1)
        #expect(Set(values.map { $0.map(ObjectIdentifier.init) }).count == 1)
    }

    @Test func `a synchronous container value is built once for all threads`() async {
        let ioc = container()
        let built = Counter()
        ioc.register(Service.self, lifecycle: .container) { built.increment(); return Service() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = ioc.get(by: Service.self) } }
        }
        #expect(built.value == 1)
    }

    @Test func `a factory that throws is a typed error and is tried again`() throws {
        let ioc = container()
        let attempts = Counter()
        ioc.register(Service.self, lifecycle: .container) {
            attempts.increment()
            if attempts.value == 1 { throw Unopened() }
            return Service()
        }
        #expect { try ioc.resolve(Service.self) } throws: { ($0 as? IoCError)?.code == .factoryFailed }
        _ = try ioc.resolve(Service.self)
        #expect(attempts.value == 2)
    }

    @MainActor
    @Test func `a factory of the main actor is resolved there or awaited`() async throws {
        let ioc = container()
        ioc.register(Screen.self, lifecycle: .container, onMainActor: { Screen() })
        await #expect { try await Task.detached { try ioc.resolve(Screen.self) }.value } throws: {
            ($0 as? IoCError)?.code == .mainActorOnly
        }
        let awaited = await Task.detached { await ioc.getAsync(by: Screen.self) }.value
        #expect(ioc.get(by: Screen.self) === awaited)
    }

    @Test func `a type has a factory that answers at once and one that awaits, side by side`() async throws {
        let ioc = container()
        ioc.register(String.self) { "at once" }
        ioc.register(String.self) {
            await Task.yield()
            return "awaited"
        }
        #expect(ioc.refusals.isEmpty)
        #expect(ioc.get(by: String.self) == "at once")
        #expect(await ioc.getAsync(by: String.self) == "awaited")
        ioc.register(Int.self) { 1 }
        #expect(await ioc.getAsync(by: Int.self) == 1)
        ioc.register(String.self, withReplacement: true) { "in its place" }
        #expect(await ioc.getAsync(by: String.self) == "in its place")
    }

    @Test func `factories go by SwiftIoC's label, too`() async throws {
        let ioc = container()
        ioc.register(Int.self, lifecycle: .container, resolver: { 1 })
        ioc.register(
            String.self,
            resolver: {
                await Task.yield()
                return "awaited"
            })
        #expect(ioc.get(by: Int.self) == 1)
        #expect(await ioc.getAsync(by: String.self) == "awaited")
    }

    @Test func `who waits for a type gets it when it is registered`() async throws {
        let ioc = container()
        let waiting = Task { try await ioc.waitForResolve(Int.self) }
        let other = Task { try await ioc.waitForResolve(String.self) }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        ioc.register(Int.self) { 7 }
        #expect(try await waiting.value == 7)
        #expect(try await ioc.waitForResolve(Int.self) == 7)
    }

    @Test func `an author's logger is told what was refused`() {
        final class Kept: IoC.ILogger {
            let lines = Mutex<[String]>([])
            func send(_ line: String) { lines.withLock { $0.append(line) } }
        }
        let kept = Kept()
        let ioc = IoC(logger: kept)
        #expect(ioc.get(by: Int.self) == nil)
        #expect(kept.lines.withLock { $0 } == ["ioc.notRegistered: Swift.Int has no factory; register one before resolving it"])
        #expect(IoC(logger: IoC.Logger()).get(by: Int.self) == nil)
    }

    @MainActor final class Screen { init() {} }
}
