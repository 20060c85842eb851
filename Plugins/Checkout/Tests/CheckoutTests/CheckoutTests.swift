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
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct CheckoutTests {
    typealias Effect = Checkout.Business.Effect
    typealias Order = Checkout.Business.Model.Order
    typealias Purchase = Checkout.Business.Model.Purchase

    let order = Order(
        id: "o1", userId: "u1", lines: [.init(sku: "milk", quantity: 2, unitPrice: 129), .init(sku: "bread", quantity: 1, unitPrice: 320)],
        total: 578)
    let recorder = RecordingLogger()
    let node: Relux

    let storage = Checkout.Business.FailingServiceMock(Checkout.Business.ServiceInMemory(), disk: .works)

    init() async throws {
        node = Relux(logger: recorder)
        let ioc = Checkout.Module.buildIoC(router: Checkout.RouterAdapter(), directory: "/nowhere")
        ioc.register((any Checkout.Business.IService).self, withReplacement: true) { [storage] in storage }
        try await node.add(Checkout.Module(ioc: ioc))
    }

    @discardableResult
    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    func purchase() async -> Purchase? { await run(.status(orderId: "o1")).value(Purchase.self, from: "Checkout") }

    @Test func `a purchase is begun once, paid and placed`() async {
        await run(.begin(order: order))
        #expect(await purchase() == Purchase(order: order))
        #expect(recorder.told("Checkout.Business.Effect.begun") == 1)
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        #expect(await purchase() == Purchase(order: order, phase: .placed, receipt: "r1"))
        await run(.close(orderId: "o1", userId: "u1", phase: .failed, reason: "late"))
        #expect(await purchase()?.phase == .placed)
        #expect(recorder.told("Checkout.Business.Effect.orderPlaced") == 1)
        #expect(recorder.told("Checkout.Business.Effect.begun") == 1)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 0)
    }

    @Test func `who asks again for what is placed hears again that it is, and takes nothing out of stock twice`() async {
        await run(.setStock(sku: "milk", quantity: 2))
        await run(.begin(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        await run(.begin(order: order))
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r1")).isSuccess)
        #expect(recorder.told("Checkout.Business.Effect.orderPlaced") == 3)
        #expect(recorder.told("Checkout.Business.Effect.begun") == 1)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 0)
    }

    @Test func `a placement that died behind the storage tells the order in its next life`() async throws {
        await run(.begin(order: order))
        _ = try await storage.place("o1", of: "u1", receipt: "r1")
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r1")).isSuccess)
        #expect(recorder.told("Checkout.Business.Effect.orderPlaced") == 1 && recorder.told("Checkout.Business.Effect.orderFailed") == 0)
    }

    @Test func `what is placed is not given back because of another receipt`() async {
        await run(.begin(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r2")).failures.map(\.code) == ["otherReceipt"])
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 0)
        #expect(await purchase()?.receipt == "r1")
    }

    @Test(arguments: [Checkout.Business.FailingServiceMock.Disk.full, .gone])
    func `a paid purchase that cannot be written down gives the money back`(disk: Checkout.Business.FailingServiceMock.Disk) async {
        await run(.begin(order: order))
        storage.set(disk)
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r1")).failures.map(\.code) == ["storage"])
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 1 && recorder.told("Checkout.Business.Effect.orderPlaced") == 0)
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 2)
        // The disk is back before the money: that it has gone back can be noted.
        storage.set(.works)
        await run(.close(orderId: "o1", userId: "u1", phase: .refunded, reason: "578 cents have gone back"))
        #expect(await purchase()?.phase == .refunded)
    }

    @Test func `money for an order that nobody knows goes back`() async {
        #expect(await run(.place(orderId: "o9", userId: "u1", receipt: "r")).failures.map(\.code) == ["unknownOrder"])
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 1)
    }

    @Test func `a cancelled purchase comes to no order, and waits for what becomes of its money`() async {
        await run(.begin(order: order))
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        #expect(await purchase()?.phase == .refundPending)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 1)
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r1")).failures.map(\.code) == ["closed"])
        // Nothing had been taken.
        await run(.close(orderId: "o1", userId: "u1", phase: .failed, reason: "nothing had been taken"))
        let closed = await purchase()
        #expect(closed?.phase == .failed && closed?.reason == "no answer")
    }

    @Test func `what is placed is not cancelled, and ends only by the return of its money`() async {
        await run(.begin(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        await run(.close(orderId: "o1", userId: "u1", phase: .refundPending, reason: "no answer"))
        #expect(await purchase()?.phase == .placed)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 0)
        await run(.close(orderId: "o1", userId: "u1", phase: .refunded, reason: "578 cents have gone back"))
        #expect(await purchase()?.phase == .refunded)
    }

    @Test func `a purchase that ended is not begun again, and says so`() async {
        await run(.begin(order: order))
        await run(.close(orderId: "o1", userId: "u1", phase: .failed, reason: "declined"))
        await run(.begin(order: order))
        #expect(recorder.told("Checkout.Business.Effect.begun") == 1 && recorder.told("Checkout.Business.Effect.refused") == 1)
        #expect(recorder.entries.contains { $0.description.contains("refused(") && $0.description.contains("declined") })
    }

    @Test func `who asks again for what is still to be given back has it asked back again`() async {
        await run(.begin(order: order))
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        await run(.begin(order: order))
        #expect(recorder.told("Checkout.Business.Effect.begun") == 1)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 2)
        #expect(recorder.told("Checkout.Business.Effect.refused") == 0)
    }

    @Test func `what is not in stock is refused behind the payment, by name, and nothing of it is taken`() async {
        await run(.setStock(sku: "milk", quantity: 5))
        await run(.setStock(sku: "bread", quantity: 0))
        await run(.begin(order: order))
        let result = await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        #expect(result.failures.map(\.code) == ["outOfStock"])
        #expect(result.failures.first?.message.contains("'bread'") == true)
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 1)
        let waiting = await purchase()
        #expect(waiting?.phase == .refundPending && waiting?.receipt == "r1")
        await run(.close(orderId: "o1", userId: "u1", phase: .refunded, reason: "578 cents have gone back"))
        let closed = await purchase()
        #expect(closed?.phase == .refunded && closed?.reason.contains("'bread'") == true)
        // The milk is still there.
        let other = Order(id: "o2", userId: "u1", lines: [.init(sku: "milk", quantity: 5, unitPrice: 1)], total: 5)
        await run(.begin(order: other))
        #expect(await run(.place(orderId: "o2", userId: "u1", receipt: "r2")).isSuccess)
    }

    @Test(arguments: [0, -5, 1, 579] as [Int64])
    func `a paid purchase waits for all of its money, whatever is said to have gone back`(amount: Int64) async {
        await run(.setStock(sku: "bread", quantity: 0))
        await run(.begin(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: amount)).failures.map(\.code) == ["otherAmount"])
        await run(.close(orderId: "o1", userId: "u1", phase: .failed, reason: "nothing had been taken"))
        #expect(await purchase()?.phase == .refundPending)
        await run(.settle(orderId: "o1", userId: "u1", amount: 578))
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: 578)).isSuccess)
        #expect(await purchase()?.phase == .refunded)
    }

    @Test func `a purchase without a receipt may turn out to be unpaid`() async {
        await run(.begin(order: order))
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: 1)).failures.map(\.code) == ["otherAmount"])
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: 0)).isSuccess)
        #expect(await purchase()?.phase == .failed)
    }

    @Test func `a purchase whose payment failed can still turn out to be paid, and go back`() async {
        await run(.begin(order: order))
        await run(.close(orderId: "o1", userId: "u1", phase: .failed, reason: "nobody answered"))
        #expect(await run(.place(orderId: "o1", userId: "u1", receipt: "r1")).failures.map(\.code) == ["closed"])
        #expect(recorder.told("Checkout.Business.Effect.orderFailed") == 1)
        await run(.close(orderId: "o1", userId: "u1", phase: .refunded, reason: "it went back"))
        let closed = await purchase()
        #expect(closed?.phase == .refunded && closed?.reason == "nobody answered")
    }

    typealias Line = Order.Line

    nonisolated static let impossible: [Order] = [
        Order(id: "o1", userId: "u1", lines: [Line(sku: "milk", quantity: 2, unitPrice: 129)], total: 1),
        Order(id: "o1", userId: "u1", lines: [], total: 0),
        Order(id: "o1", userId: "u1", lines: [Line(sku: "milk", quantity: 0, unitPrice: 129)], total: 0),
        Order(
            id: "o1", userId: "u1",
            lines: [Line(sku: "milk", quantity: 3, unitPrice: 100), Line(sku: "bread", quantity: -1, unitPrice: 100)], total: 200),
        Order(
            id: "o1", userId: "u1", lines: [Line(sku: "milk", quantity: 1, unitPrice: -5), Line(sku: "bread", quantity: 1, unitPrice: 10)],
            total: 5),
        Order(id: "o1", userId: "u1", lines: [Line(sku: "gold", quantity: 2, unitPrice: .max)], total: .max),
        Order(
            id: "o1", userId: "u1", lines: [Line(sku: "gold", quantity: 1, unitPrice: .max), Line(sku: "milk", quantity: 1, unitPrice: 1)],
            total: .min),
        Order(id: "o1", userId: "u1", lines: [Line(sku: "milk", quantity: .min, unitPrice: 1)], total: 1),
    ]

    @Test(arguments: impossible)
    func `an order that does not add up is refused and told, whatever its numbers`(bad: Order) async {
        #expect(await run(.begin(order: bad)).failures.map(\.code) == ["invalidOrder"])
        #expect(recorder.told("Checkout.Business.Effect.refused") == 1 && recorder.told("Checkout.Business.Effect.begun") == 0)
    }

    @Test func `what is said of a purchase under another user's name changes nothing of it`() async {
        await run(.begin(order: order))
        for effect in [
            Effect.close(orderId: "o1", userId: "u2", phase: .failed, reason: "declined"), .cancel(orderId: "o1", userId: "u2", reason: "no answer"),
            .place(orderId: "o1", userId: "u2", receipt: "r2"), .settle(orderId: "o1", userId: "u2", amount: 578),
        ] {
            #expect(await run(effect).failures.map(\.code) == ["otherUser"], "\(effect)")
        }
        #expect(await purchase() == Purchase(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        #expect(await purchase() == Purchase(order: order, phase: .placed, receipt: "r1"))
        // What was told of another's was told to the other.
        let placed = recorder.entries.compactMap { entry in
            if case .orderPlaced("o1", let userId)? = entry.action as? Effect { userId } else { nil }
        }
        let failed = recorder.entries.compactMap { entry in
            if case .orderFailed("o1", let userId, _)? = entry.action as? Effect { userId } else { nil }
        }
        let refused = recorder.entries.compactMap { entry in
            if case .refused("o1", let userId, _)? = entry.action as? Effect { userId } else { nil }
        }
        // No money moves because of it.
        #expect(placed == ["u1"] && failed == [] && refused == ["u2", "u2", "u2"] && recorder.told("Checkout.Business.Effect.settled") == 0)
    }

    @Test func `a user without an id is nobody, and no wildcard`() async {
        await run(.begin(order: order))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        for effect in [
            Effect.close(orderId: "o1", userId: "", phase: .refunded, reason: "x"), .cancel(orderId: "o1", userId: "", reason: "x"),
            .place(orderId: "o1", userId: "", receipt: "r1"), .settle(orderId: "o1", userId: "", amount: 578),
        ] {
            #expect(await run(effect).failures.map(\.code) == ["otherUser"], "\(effect)")
        }
        #expect(await purchase() == Purchase(order: order, phase: .placed, receipt: "r1"))
        #expect(recorder.told("Checkout.Business.Effect.settled") == 0 && recorder.told("Checkout.Business.Effect.orderFailed") == 0)
    }

    @Test(arguments: [("", "u1"), (String(repeating: "o", count: 65), "u1"), ("o2", ""), ("o2", String(repeating: "u", count: 121))])
    func `an order's id and its user's have a length, and one that has not is refused and told`(id: String, userId: String) async {
        let bad = Order(id: id, userId: userId, lines: order.lines, total: order.total)
        let failure = await run(.begin(order: bad)).failures.first
        #expect(failure?.code == "invalidOrder" && failure?.message.contains("bytes, and") == true)
        #expect(await run(.status(orderId: id)).failures.map(\.code) == ["unknownOrder"])
        #expect(recorder.told("Checkout.Business.Effect.refused") == 1 && recorder.told("Checkout.Business.Effect.begun") == 0)
    }

    @Test func `two spellings of one text are two orders, two users and two articles`() async throws {
        // Swift takes the two for the same text.
        let (composed, decomposed) = ("o\u{e9}", "oe\u{301}")
        func order(_ id: String, _ userId: String, _ sku: String, _ quantity: Int) -> Order {
            Order(id: id, userId: userId, lines: [.init(sku: sku, quantity: quantity, unitPrice: 1)], total: Int64(quantity))
        }
        let first = order(composed, composed, composed, 1)
        #expect(await run(.begin(order: first)).value(Purchase.self, from: "Checkout")?.order == first)
        let second = order(decomposed, decomposed, decomposed, 2)
        #expect(await run(.begin(order: second)).value(Purchase.self, from: "Checkout")?.order == second)
        #expect(await run(.begin(order: order(composed, decomposed, composed, 1))).failures.map(\.code) == ["invalidOrder"])
        #expect(await run(.close(orderId: composed, userId: decomposed, phase: .failed, reason: "x")).failures.map(\.code) == ["otherUser"])
        await run(.setStock(sku: composed, quantity: 0))
        #expect(await run(.place(orderId: decomposed, userId: decomposed, receipt: "r")).isSuccess, "of the other spelling there is none")
        #expect(await run(.place(orderId: decomposed, userId: decomposed, receipt: composed)).failures.map(\.code) == ["otherReceipt"])
        #expect(await run(.place(orderId: composed, userId: composed, receipt: "r")).failures.map(\.code) == ["outOfStock"])
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("orders.json")
        for order in [second, first] { _ = try await Checkout.Business.Service(path: path).begin(order) }
        #expect(try await Checkout.Business.Service(path: path).purchase(composed)?.order == first)
        #expect(try await Checkout.Business.Service(path: path).purchase(decomposed)?.order == second)
    }

    @Test func `a stock that nobody has counted before is said`() async {
        #expect(await run(.setStock(sku: "nosuch", quantity: 5)).value(String.self, from: "Checkout")?.contains("'nosuch'") == true)
        let again = await run(.setStock(sku: "nosuch", quantity: 4))
        #expect(again.isSuccess && again.value(String.self, from: "Checkout") == nil)
    }

    @Test func `an order that takes another's id is refused`() async {
        await run(.begin(order: order))
        let other = Order(id: "o1", userId: "u2", lines: order.lines, total: order.total)
        #expect(await run(.begin(order: other)).failures.map(\.code) == ["invalidOrder"])
        #expect(await run(.status(orderId: "o9")).failures.map(\.code) == ["unknownOrder"])
    }

    @Test(arguments: [(2, Int.min), (Int.min, 1), (-1, -1)])
    func `a stored quantity or stock that cannot be traps nothing`(stock: Int, quantity: Int) async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("orders.json")
        let stored = """
            {"stock": {"milk": \(stock)}, "purchases": {"o1": {"phase": "begun", "reason": "", "receipt": "", "order":
            {"id": "o1", "userId": "u1", "total": 1, "lines": [{"sku": "milk", "quantity": \(quantity), "unitPrice": 1}]}}}}
            """
        try stored.write(toFile: path, atomically: true, encoding: .utf8)
        let failure = await #expect(throws: Checkout.Business.Model.Failure.self) {
            try await Checkout.Business.Service(path: path).place("o1", of: "u1", receipt: "r1")
        }
        #expect(failure?.code == .outOfStock)
    }

    @Test func `the composition chooses between the file and the storage in memory`() async throws {
        let directory = TemporaryDirectory()
        for services in [IoC.Services.real, .mock] {
            let node = Relux()
            try await node.add(IoC.with(services: services) { try Checkout.Module(directory: directory.path) })
            #expect(await node.dispatcher.actions { Effect.begin(order: order) }.isSuccess)
            #expect(FileManager.default.fileExists(atPath: directory.file("orders.json")) == (services == .real))
            try? FileManager.default.removeItem(atPath: directory.path)
        }
    }

    @Test func `a router without an adapter is named, and nothing traps`() {
        let error = #expect(throws: IoCError.self) { try Checkout.Module(router: nil, directory: "/nowhere") }
        #expect(error?.code == .notRegistered)
        #expect(error?.message.contains("Checkout.Business.IRouter") == true && error?.message.contains("register one") == true)
    }
}
