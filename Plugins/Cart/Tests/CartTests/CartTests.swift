import CartModels
@testable import CartReluxImpl
import CartReluxInt
import CartServiceImpl
import CartServiceInt
import CartTestSupport
import Foundation
import Relux
import ReluxIoC
import ReluxPlugin
import ReluxTestKit
import Testing

@MainActor
@Suite struct CartTests {
    typealias Effect = Cart.Business.Effect
    typealias Line = Cart.Business.Model.Line
    typealias Request = Cart.Business.Model.Request

    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        let ioc = Cart.Module.buildIoC(directory: "/nowhere")
        ioc.register((any Cart.Business.IService).self, withReplacement: true) {
            Cart.Business.ServiceMock(prices: ["milk": 129, "bread": 320])
        }
        try await node.add(Cart.Module(ioc: ioc))
    }

    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    var lines: [Line] { node.store.getState(Cart.Business.State.self)?.lines ?? [] }

    @Test func `what is added twice is one line at its first price`() async {
        _ = await run(.add(sku: "milk", quantity: 1))
        _ = await run(.add(sku: "bread", quantity: 1))
        let result = await run(.add(sku: "milk", quantity: 2))
        #expect(result.value(Line.self, from: "Cart")?.unitPrice == 129)
        #expect(lines == [Line(sku: "milk", quantity: 3, unitPrice: 129), Line(sku: "bread", quantity: 1, unitPrice: 320)])
        _ = await run(.remove(sku: "milk"))
        #expect(lines.map(\.sku) == ["bread"])
        _ = await run(.clear)
        #expect(lines.isEmpty)
    }

    @Test(arguments: [("caviar", 1, "unknownArticle"), ("milk", 0, "invalidQuantity"), ("milk", 1_001, "invalidQuantity"), ("milk", .max, "invalidQuantity")])
    func `what cannot be added is refused and told`(sku: String, quantity: Int, code: String) async {
        let result = await run(.add(sku: sku, quantity: quantity))
        #expect(result.failures.map(\.code) == [code])
        #expect(result.failures.first?.message.contains(sku) == true)
        #expect(recorder.entries.contains { $0.description.hasPrefix("Cart.Business.Effect.cartFailed") })
    }

    @Test func `a check-out says who wants to buy what for how much and leaves the cart alone`() async {
        _ = await run(.assign(userId: "u1"))
        _ = await run(.add(sku: "milk", quantity: 2))
        let request = await run(.checkOut(id: "o1")).value(Request.self, from: "Cart")
        #expect(request == Request(id: "o1", userId: "u1", lines: [Line(sku: "milk", quantity: 2, unitPrice: 129)]))
        #expect(request?.total == 258)
        #expect(recorder.entries.contains { $0.description.hasPrefix("Cart.Business.Effect.checkOutRequested") })
        #expect(lines.count == 1)
    }

    @Test func `without a user, a line or an id there is no check-out`() async {
        #expect(await run(.checkOut(id: "o1")).failures.map(\.code) == ["notAuthenticated"])
        _ = await run(.assign(userId: "u1"))
        #expect(await run(.checkOut(id: "o1")).failures.map(\.code) == ["empty"])
        #expect(await run(.checkOut(id: "")).failures.map(\.code) == ["invalidRequest"])
        #expect(await run(.checkOut(id: String(repeating: "o", count: 65))).failures.map(\.code) == ["invalidRequest"])
    }

    @Test func `the price list is a file, and one that is broken names itself`() async throws {
        let path = NSTemporaryDirectory() + "/prices-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let service = Cart.Business.Service(path: path)
        #expect(try await service.price(of: "milk") == Cart.Business.Service.samples["milk"])
        try #"{"milk": 99, "debt": -1}"#.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await service.price(of: "milk") == 99)
        for text in [#"{"milk": 99, "debt": -1}"#, "[]", #"{"debt": 1.5}"#, "{"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let failure = await #expect(throws: Cart.Business.Model.Failure.self) { try await service.price(of: "debt") }
            #expect(failure?.code == .priceList && failure?.message.contains(path) == true)
        }
    }

    @Test func `the composition chooses between the real service and the one in memory`() async throws {
        for (services, price) in [(IoC.Services.real, 129), (.mock, 100)] {
            let module = try await IoC.with(services: services) { try Cart.Module(directory: "/nowhere") }
            let node = Relux()
            try await node.add(module)
            let result = await node.dispatcher.actions { Effect.add(sku: "milk", quantity: 1) }
            #expect(result.value(Line.self, from: "Cart")?.unitPrice == Int64(price))
        }
    }

    @Test func `the declaration says what the module does`() throws {
        let module = try Cart.Module()
        let declaration = Cart.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
    }
}
