import ReluxIoC
import Synchronization
import Testing

@Suite struct IoCCycleTests {
    final class A: Sendable {}
    final class B: Sendable {}

    @Test(arguments: [IoC.Lifecycle.container, .transient])
    func `a cycle of synchronous factories is an error that prints it`(lifecycle: IoC.Lifecycle) {
        let ioc = IoC()
        ioc.register(A.self, lifecycle: lifecycle) { _ = try ioc.resolve(B.self); return A() }
        ioc.register(B.self, lifecycle: lifecycle) { _ = try ioc.resolve(A.self); return B() }
        #expect { try ioc.resolve(A.self) } throws: {
            guard let error = $0 as? IoCError else { return false }
            return error.code == .cycle && error.message.hasPrefix("A -> B -> A")
        }
    }

    @Test(arguments: [IoC.Lifecycle.container, .transient])
    func `a cycle of asynchronous factories is an error that prints it`(lifecycle: IoC.Lifecycle) async {
        let ioc = IoC()
        ioc.register(A.self, lifecycle: lifecycle) { _ = try await ioc.resolveAsync(B.self); return A() }
        ioc.register(B.self, lifecycle: lifecycle) { _ = try await ioc.resolveAsync(A.self); return B() }
        await #expect { _ = try await ioc.resolveAsync(A.self) } throws: { ($0 as? IoCError)?.code == .cycle }
    }

    @Test func `two tasks that build what the other waits for do not wait for ever`() async {
        let ioc = IoC()
        let both = Rendezvous(2)
        ioc.register(A.self, lifecycle: .container) {
            await both.arrive()
            _ = try await ioc.resolveAsync(B.self)
            return A()
        }
        ioc.register(B.self, lifecycle: .container) {
            await both.arrive()
            _ = try await ioc.resolveAsync(A.self)
            return B()
        }
        async let a = Result.catching { try await ioc.resolveAsync(A.self) }
        async let b = Result.catching { try await ioc.resolveAsync(B.self) }
        for failure in await [a.failure, b.failure] {
            #expect((failure as? IoCError)?.code == .cycle)
        }
    }

    @Test func `a diamond is not a cycle`() throws {
        let ioc = IoC()
        ioc.register(Int.self, lifecycle: .container) { 1 }
        ioc.register(String.self) { "\(try ioc.resolve(Int.self))" }
        ioc.register([String].self) { [try ioc.resolve(String.self), try ioc.resolve(String.self), "\(try ioc.resolve(Int.self))"] }
        #expect(try ioc.resolve([String].self) == ["1", "1", "1"])
    }

    @Test func `a task that a factory left behind may resolve what made it`() async throws {
        let ioc = IoC()
        let returned = Rendezvous(2)
        ioc.register(Task<A, any Error>.self) {
            Task { await returned.arrive(); return try await ioc.resolveAsync(A.self) }
        }
        ioc.register(A.self, lifecycle: .container) { A() }
        let task = try ioc.resolve(Task<A, any Error>.self)
        await returned.arrive()
        #expect(try await task.value === ioc.resolve(A.self))
    }
}

extension Result where Failure == any Error {
    static func catching(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
