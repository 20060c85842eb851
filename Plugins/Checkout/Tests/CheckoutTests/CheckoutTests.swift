import CheckoutModels
@testable import CheckoutReluxImpl
import CheckoutReluxInt
import CheckoutServiceImpl
import CheckoutServiceInt
import CheckoutTestSupport
import Foundation
import NavigationModels
import NavigationReluxInt
import Relux
import ReluxIoC
import ReluxPlugin
import ReluxTestKit
import Testing

@MainActor
@Suite struct CheckoutTests {
    typealias Effect = Checkout.Business.Effect
    typealias Order = Checkout.Business.Model.Order
    typealias Purchase = Checkout.Business.Model.Purchase

    let order = Order(
        id: "o1", userId: "u1", lines: [.init(sku: "milk", quantity: 2, unitPrice: 129), .init(sku: "bread", quantity: 1, unitPrice: 320)],
        total: 578)
    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        try await node.add(IoC.with(services: .mock) { try Checkout.Module(directory: "/nowhere") })
    }

    @discardableResult
    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    func purchase() async -> Purchase? { await run(.status(orderId: "o1")).value(Purchase.self, from: "Checkout") }

    func told(_ name: String) -> Int {
        recorder.entries.filter { $0.description.hasPrefix("Checkout.Business.Effect.\(name)(") }.count
    }

    @Test func `a purchase is begun once, paid and placed`() async {
        await run(.begin(order: order))
        #expect(await purchase() == Purchase(order: order))
        #expect(told("begun") == 1)
        await run(.place(orderId: "o1", receipt: "r1"))
        #expect(await purchase() == Purchase(order: order, phase: .placed, receipt: "r1"))
        await run(.begin(order: order))
        await run(.place(orderId: "o1", receipt: "r1"))
        await run(.close(orderId: "o1", phase: .failed, reason: "late"))
        #expect(await purchase()?.phase == .placed)
        #expect(told("orderPlaced") == 1 && told("begun") == 1 && told("orderFailed") == 0)
    }

    @Test func `what is not in stock is refused behind the payment, by name, and nothing of it is taken`() async {
        await run(.setStock(sku: "milk", quantity: 5))
        await run(.setStock(sku: "bread", quantity: 0))
        await run(.begin(order: order))
        let result = await run(.place(orderId: "o1", receipt: "r1"))
        #expect(result.failures.map(\.code) == ["outOfStock"])
        #expect(result.failures.first?.message.contains("'bread'") == true)
        #expect(told("orderFailed") == 1)
        let waiting = await purchase()
        #expect(waiting?.phase == .refundPending && waiting?.receipt == "r1")
        await run(.close(orderId: "o1", phase: .refunded, reason: "578 cents have gone back"))
        let closed = await purchase()
        #expect(closed?.phase == .refunded && closed?.reason.contains("'bread'") == true)
        // The milk is still there.
        let other = Order(id: "o2", userId: "u1", lines: [.init(sku: "milk", quantity: 5, unitPrice: 1)], total: 5)
        await run(.begin(order: other))
        #expect(await run(.place(orderId: "o2", receipt: "r2")).isSuccess)
    }

    @Test func `a purchase whose payment failed can still turn out to be paid, and go back`() async {
        await run(.begin(order: order))
        await run(.close(orderId: "o1", phase: .failed, reason: "nobody answered"))
        #expect(await run(.place(orderId: "o1", receipt: "r1")).failures.map(\.code) == ["closed"])
        #expect(told("orderFailed") == 1)
        await run(.close(orderId: "o1", phase: .refunded, reason: "it went back"))
        let closed = await purchase()
        #expect(closed?.phase == .refunded && closed?.reason == "nobody answered")
    }

    @Test func `an order that does not add up, or takes another's id, is refused`() async {
        for bad in [Order(id: "o1", userId: "u1", lines: order.lines, total: 1), Order(id: "o1", userId: "u1", lines: [], total: 0)] {
            #expect(await run(.begin(order: bad)).failures.map(\.code) == ["invalidOrder"])
        }
        await run(.begin(order: order))
        let other = Order(id: "o1", userId: "u2", lines: order.lines, total: order.total)
        #expect(await run(.begin(order: other)).failures.map(\.code) == ["invalidOrder"])
        #expect(await run(.status(orderId: "o9")).failures.map(\.code) == ["unknownOrder"])
        #expect(await run(.place(orderId: "o9", receipt: "r")).failures.map(\.code) == ["unknownOrder"])
    }

    @Test func `purchases survive the service, and a broken file names itself`() async throws {
        let path = NSTemporaryDirectory() + "/orders-\(UUID().uuidString)/orders.json"
        defer { try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path) }
        try await Checkout.Business.Service(path: path).save(Purchase(order: order))
        #expect(try await Checkout.Business.Service(path: path).purchase("o1") == Purchase(order: order))
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = await #expect(throws: Checkout.Business.Model.Failure.self) {
            try await Checkout.Business.Service(path: path).purchase("o1")
        }
        #expect(failure?.code == .storage && failure?.message.contains(path) == true)
    }

    @Test func `a storage that takes nothing is an answer`() async throws {
        let node = Relux()
        let ioc = Checkout.Module.buildIoC(router: Checkout.RouterAdapter(), directory: "/nowhere")
        ioc.register((any Checkout.Business.IService).self, withReplacement: true) { Checkout.Business.BrokenServiceMock() }
        try await node.add(Checkout.Module(ioc: ioc))
        let result = await node.dispatcher.actions { Effect.begin(order: order) }
        #expect(result.failures.map(\.code) == ["storage"])
    }

    @Test func `a router without an adapter is named, and nothing traps`() {
        let error = #expect(throws: IoCError.self) { try Checkout.Module(router: nil, directory: "/nowhere") }
        #expect(error?.code == .notRegistered)
        #expect(error?.message.contains("Checkout.Business.IRouter") == true && error?.message.contains("register one") == true)
    }

    @Test func `the declaration says what the module does`() throws {
        let module = try Checkout.Module()
        let declaration = Checkout.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
    }
}
