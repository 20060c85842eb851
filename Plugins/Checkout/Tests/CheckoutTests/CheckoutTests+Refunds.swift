import CheckoutModels
import CheckoutReluxInt
import CheckoutServiceImpl
import CheckoutTestSupport
import Foundation
import Relux
import ReluxTestKit
import Testing

extension CheckoutTests {
    @Test func `that the money is back is told when it is written down, again each time it is heard, and not before`() async {
        await run(.begin(order: order))
        await run(.cancel(orderId: "o1", userId: "u1", reason: "no answer"))
        storage.set(.full)
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: 578)).failures.map(\.code) == ["storage"])
        storage.set(.works)
        #expect(await run(.settle(orderId: "o1", userId: "u1", amount: 1)).failures.map(\.code) == ["otherAmount"])
        #expect(recorder.told("Checkout.Business.Effect.settled") == 0)
        await run(.settle(orderId: "o1", userId: "u1", amount: 578))
        await run(.settle(orderId: "o1", userId: "u1", amount: 0))
        #expect(recorder.told("Checkout.Business.Effect.settled") == 2)
        #expect(await purchase()?.phase == .refunded)
        // Nobody waits for an order that nobody knows.
        #expect(await run(.settle(orderId: "o9", userId: "u1", amount: 5)).failures.map(\.code) == ["unknownOrder"])
        #expect(recorder.told("Checkout.Business.Effect.settled") == 3)
        storage.set(.gone)
        #expect(await run(.settle(orderId: "o9", userId: "u1", amount: 5)).failures.map(\.code) == ["storage"])
        #expect(recorder.told("Checkout.Business.Effect.settled") == 3)
    }

    @Test func `an order whose money has gone back gives back what it took out of stock, once, and nothing else`() async throws {
        let twice = Order(
            id: "o1", userId: "u1",
            lines: [Line(sku: "milk", quantity: 1, unitPrice: 1), Line(sku: "milk", quantity: 1, unitPrice: 1), Line(sku: "bread", quantity: 1, unitPrice: 1)],
            total: 3)
        await run(.setStock(sku: "milk", quantity: 2))
        await run(.begin(order: twice))
        await run(.place(orderId: "o1", userId: "u1", receipt: "r1"))
        // Bread was not counted when it was ordered.
        await run(.setStock(sku: "bread", quantity: 1))
        for _ in 0..<2 { await run(.settle(orderId: "o1", userId: "u1", amount: 3)) }
        #expect(await purchase()?.phase == .refunded)
        for (id, sku, quantity, isThere) in [("o2", "milk", 3, false), ("o3", "milk", 2, true), ("o4", "bread", 2, false), ("o5", "bread", 1, true)] {
            await run(.begin(order: Order(id: id, userId: "u1", lines: [Line(sku: sku, quantity: quantity, unitPrice: 1)], total: Int64(quantity))))
            #expect(await run(.place(orderId: id, userId: "u1", receipt: "r")).isSuccess == isThere, "\(quantity) \(sku)")
        }
    }

    @Test(arguments: [(5, 7), (Int.max, Int.max)])
    func `an order that an earlier build has placed gives back its lines`(stock: Int, after: Int) async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("orders.json")
        try """
            {"stock": {"milk": \(stock)}, "purchases": {"o1": {"phase": "placed", "reason": "", "receipt": "r1", "order":
            {"id": "o1", "userId": "u1", "total": 2, "lines": [{"sku": "milk", "quantity": 2, "unitPrice": 1}]}}}}
            """.write(toFile: path, atomically: true, encoding: .utf8)
        let service = Checkout.Business.Service(path: path)
        #expect(try await service.move("o1", of: "u1", to: .refunded, reason: "", receipt: nil).phase == .refunded)
        let written = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path))) as? [String: Any])
        #expect(written["stock"] as? [String: Int] == ["milk": after])
    }
}
