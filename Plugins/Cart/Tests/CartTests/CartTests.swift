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
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct CartTests {
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

    @Test func `of two at once that are too many together the second is refused`() async throws {
        let prices = Gate()
        let ioc = Cart.Module.buildIoC(directory: "/nowhere")
        ioc.register((any Cart.Business.IService).self, withReplacement: true) { SlowPrices(gate: prices) }
        let node = Relux()
        try await node.add(Cart.Module(ioc: ioc))
        async let first = node.dispatcher.actions { Effect.add(sku: "milk", quantity: 600) }
        async let second = node.dispatcher.actions { Effect.add(sku: "milk", quantity: 600) }
        try await prices.waitForArrivals(2)
        prices.open()
        let failures = await (first.failures + second.failures)
        #expect(failures.map(\.code) == ["invalidQuantity"] && failures.first?.message.contains("600 in the cart") == true)
        #expect(node.store.getState(Cart.Business.State.self)?.lines.map(\.quantity) == [600])
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

    @Test func `what was bought goes out of the cart once, and what was added behind it stays`() async {
        _ = await run(.assign(userId: "u1"))
        _ = await run(.add(sku: "milk", quantity: 2))
        _ = await run(.checkOut(id: "o1"))
        _ = await run(.add(sku: "milk", quantity: 1))
        _ = await run(.add(sku: "bread", quantity: 1))
        _ = await run(.bought(id: "o9", userId: "u1"))
        #expect(lines.map(\.quantity) == [3, 1])
        for _ in 0..<2 {
            _ = await run(.bought(id: "o1", userId: "u1"))
            #expect(lines.map(\.sku) == ["milk", "bread"] && lines.map(\.quantity) == [1, 1])
        }
    }

    @Test func `what was taken out and put in again was not bought`() async {
        _ = await run(.assign(userId: "u1"))
        _ = await run(.add(sku: "milk", quantity: 2))
        _ = await run(.add(sku: "bread", quantity: 1))
        _ = await run(.checkOut(id: "o1"))
        _ = await run(.checkOut(id: "o2"))
        _ = await run(.remove(sku: "milk"))
        _ = await run(.add(sku: "milk", quantity: 1))
        _ = await run(.bought(id: "o1", userId: "u1"))
        #expect(lines == [Line(sku: "milk", quantity: 1, unitPrice: 129)])
        // Two requests for the same bread; the second finds none in the cart.
        _ = await run(.add(sku: "bread", quantity: 1))
        _ = await run(.bought(id: "o2", userId: "u1"))
        #expect(lines.map(\.sku) == ["milk", "bread"])
    }

    @Test func `a request that was not carried out is a failure with the reason, and the cart stays`() async throws {
        let node = try await shop { id in [Effect.notBought(id: id, userId: "u1", reason: "declined")] }
        let result = await node.dispatcher.actions { Effect.checkOut(id: "o1") }
        #expect(result.failures.map(\.code) == ["notBought"] && result.failures.first?.message.contains("declined") == true)
        #expect(node.store.getState(Cart.Business.State.self)?.lines.count == 1)
        // That it was bought after all is the last word.
        await node.dispatcher.actions { Effect.bought(id: "o1", userId: "u1") }
        #expect(await node.dispatcher.actions { Effect.checkOut(id: "o1") }.isSuccess)
    }

    @Test func `the same request asked for again is one, whatever the cart has become`() async throws {
        let node = try await shop { id in [Effect.bought(id: id, userId: "u1")] }
        let first = await node.dispatcher.actions { Effect.checkOut(id: "o1") }
        #expect(first.isSuccess && node.store.getState(Cart.Business.State.self)?.lines.isEmpty == true)
        await node.dispatcher.actions { Effect.add(sku: "bread", quantity: 1) }
        let again = await node.dispatcher.actions { Effect.checkOut(id: "o1") }
        #expect(again.value(Request.self, from: "Cart") == first.value(Request.self, from: "Cart"))
        #expect(node.store.getState(Cart.Business.State.self)?.lines.count == 1)
    }

    @Test func `a request is of one user and their own lines, whoever logs in meanwhile`() async throws {
        let node = Relux(logger: recorder)
        try await node.add(Turning.Module(state: Turning()))
        let request = await node.dispatcher.actions { Effect.checkOut(id: "o1") }.value(Request.self, from: "Turning")
        #expect(request?.lines == [Line(sku: "of \(request?.userId ?? "nobody")", quantity: 1, unitPrice: 1)])
    }

    /// A cart of u1 with milk, and one who answers each request.
    func shop(_ answer: @escaping @Sendable (String) -> [Effect]) async throws -> Relux {
        let node = Relux()
        try await node.add(IoC.with(services: .mock) { try Cart.Module(directory: "/nowhere") })
        try await node.add(Shop(answer))
        await node.dispatcher.actions {
            Effect.assign(userId: "u1")
            Effect.add(sku: "milk", quantity: 1)
        }
        return node
    }

    @Test func `a cart that nobody had becomes the user's, and another user's does not`() async {
        _ = await run(.add(sku: "milk", quantity: 2))
        _ = await run(.assign(userId: "u1"))
        _ = await run(.assign(userId: "u1"))
        _ = await run(.checkOut(id: "o1"))
        #expect(lines.count == 1)
        _ = await run(.assign(userId: "u2"))
        #expect(lines.isEmpty)
        #expect(await run(.checkOut(id: "o1")).failures.map(\.code) == ["empty"])
    }

    @Test func `a wish of one id is each user's own: what becomes of the one changes nothing of the other`() async throws {
        let asked = Gate()
        let node = Relux(logger: recorder)
        try await node.add(IoC.with(services: .mock) { try Cart.Module(directory: "/nowhere") })
        try await node.add(Shop { _ in
            await asked.pass()
            return []
        })
        func fill(_ user: String, _ quantity: Int) async {
            await node.dispatcher.actions {
                Effect.assign(userId: user)
                Effect.add(sku: "milk", quantity: quantity)
            }
        }
        var pieces: [Int] { node.store.getState(Cart.Business.State.self)?.lines.map(\.quantity) ?? [] }
        await fill("u1", 2)
        async let first = node.dispatcher.actions { Effect.checkOut(id: "o1") }
        try await asked.waitForArrivals(1)
        // Another user takes over while the first one's purchase is under way, and chooses the same id.
        await fill("u2", 3)
        async let second = node.dispatcher.actions { Effect.checkOut(id: "o1") }
        try await asked.waitForArrivals(2)
        await node.dispatcher.actions {
            Effect.notBought(id: "o1", userId: "u2", reason: "another's id")
            Effect.bought(id: "o1", userId: "u1")
        }
        asked.open()
        // Their wish is not in this cart: what was said of it, for or against, cannot be known here.
        let gone = await first
        #expect(gone.failures.map(\.code) == ["undecided"] && gone.failures.first?.message.contains("another's by now") == true)
        let refused = await second
        #expect(refused.failures.map(\.code) == ["notBought"] && refused.failures.first?.message.contains("another's id") == true)
        #expect(pieces == [3])
    }

    @Test func `a request of a user who has gone is none of the next one's cart`() {
        var contents = Cart.Business.Model.Contents(userId: "u2", lines: [Line(sku: "milk", quantity: 1, unitPrice: 1)])
        contents.request(Request(id: "o1", userId: "u1", lines: contents.lines))
        contents.bought("o1", by: "u1")
        #expect(contents.wishes.isEmpty && contents.lines.count == 1)
    }

    @Test func `requests of long ago are forgotten`() {
        var contents = Cart.Business.Model.Contents(userId: "u1", lines: [Line(sku: "milk", quantity: 1, unitPrice: 1)])
        for n in 0...Cart.Business.Model.Contents.wishLimit { contents.request(Request(id: "o\(n)", userId: "u1", lines: contents.lines)) }
        #expect(contents.wishes.count == Cart.Business.Model.Contents.wishLimit && contents.wish("o0", of: "u1") == nil)
    }

    @Test func `an older build reads of the cart what it knows`() throws {
        var contents = Cart.Business.Model.Contents(userId: "u1", lines: [Line(sku: "milk", quantity: 2, unitPrice: 129)])
        contents.request(Request(id: "o1", userId: "u1", lines: contents.lines))
        let older = try #require(try Cart.Business.State.older(contents, version: 1) as? Cart.Business.State.StoredFirst)
        #expect(older.userId == "u1" && older.lines == contents.lines)
        #expect(Cart.Business.State.storedVersion == 2 && Cart.Business.State.olderVersions == [1])
    }

    @Test func `sums that cannot be counted trap nothing`() {
        for lines in [[Line(sku: "gold", quantity: 2, unitPrice: .max)], Array(repeating: Line(sku: "gold", quantity: 1, unitPrice: .max), count: 2)] {
            #expect(Request(id: "o1", userId: "u1", lines: lines).total == .max)
            #expect(Cart.Business.Snapshot(lines: lines).total == .max)
        }
        var contents = Cart.Business.Model.Contents(lines: [Line(sku: "gold", quantity: .max, unitPrice: 1)])
        contents.add(Line(sku: "gold", quantity: .max, unitPrice: 1))
        #expect(contents.lines.map(\.quantity) == [Line.limit])
    }

    @Test func `without a user, a line or an id there is no check-out`() async {
        #expect(await run(.checkOut(id: "o1")).failures.map(\.code) == ["notAuthenticated"])
        _ = await run(.assign(userId: "u1"))
        #expect(await run(.checkOut(id: "o1")).failures.map(\.code) == ["empty"])
        #expect(await run(.checkOut(id: "")).failures.map(\.code) == ["invalidRequest"])
        #expect(await run(.checkOut(id: String(repeating: "o", count: 65))).failures.map(\.code) == ["invalidRequest"])
    }

    @Test func `the price list is a file, and one that is broken names itself`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("prices.json")
        let service = Cart.Business.Service(path: path)
        #expect(try await service.price(of: "milk") == Cart.Business.Service.samples["milk"])
        try #"{"milk": 99, "debt": -1}"#.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await service.price(of: "milk") == 99)
        for text in [#"{"milk": 99, "debt": -1}"#, #"{"debt": 9223372036854775807}"#, "[]", #"{"debt": 1.5}"#, "{"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let failure = await #expect(throws: Cart.Business.Model.Failure.self) { try await service.price(of: "debt") }
            #expect(failure?.code == .priceList && failure?.message.contains(path) == true)
        }
    }

    @Test(arguments: ["a folder", "a pipe", "a link to nowhere", "a folder in which nothing is found", "no UTF-8"])
    func `a price list that cannot be read is none of the samples`(kind: String) async throws {
        let folder = TemporaryDirectory(isMade: true)
        var path = folder.file("prices.json")
        switch kind {
        case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a pipe": #expect(mkfifo(path, 0o600) == 0)
        case "a link to nowhere": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nowhere"))
        case "no UTF-8": try Data([0xff, 0xfe]).write(to: URL(fileURLWithPath: path))
        default:
            // Nobody finds anything below a file.
            try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
            path += "/prices.json"
        }
        let failure = await #expect(throws: Cart.Business.Model.Failure.self) { try await Cart.Business.Service(path: path).price(of: "milk") }
        #expect(failure?.code == .priceList && failure?.message.contains(path) == true)
        #expect(failure?.message.contains("Error") == false && failure?.message.contains("(null)") == false, "\(failure?.message ?? "")")
    }

    @Test func `ids, users and articles are told apart byte for byte`() async throws {
        // Swift takes the two for the same text.
        let (composed, decomposed) = ("zo\u{e9}", "zoe\u{301}")
        _ = await run(.assign(userId: composed))
        _ = await run(.add(sku: "milk", quantity: 1))
        _ = await run(.assign(userId: decomposed))
        #expect(lines.isEmpty, "it is another user's cart")
        var contents = Cart.Business.Model.Contents(userId: composed)
        for (sku, quantity) in [(composed, 2), (decomposed, 3)] { contents.add(Line(sku: sku, quantity: quantity, unitPrice: 1)) }
        #expect(contents.lines.map(\.quantity) == [2, 3])
        for id in [composed, decomposed] { contents.request(Request(id: id, userId: composed, lines: contents.lines)) }
        contents.request(Request(id: "other", userId: decomposed, lines: contents.lines))
        #expect(contents.wishes.count == 2)
        // Both spellings survive what stores them.
        contents = try JSONDecoder().decode(Cart.Business.Model.Contents.self, from: JSONEncoder().encode(contents))
        #expect(contents.wishes.first?.inCart[composed] == 2 && contents.wishes.first?.inCart[decomposed] == 3)
        contents.bought(decomposed, by: decomposed)
        #expect(contents.lines.count == 2)
        contents.bought(decomposed, by: composed)
        #expect(contents.lines.isEmpty && contents.wish(composed, of: composed)?.outcome == .open)
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("prices.json")
        try "{\"\(composed)\": 99}".write(toFile: path, atomically: true, encoding: .utf8)
        let service = Cart.Business.Service(path: path)
        #expect(try await service.price(of: composed) == 99)
        await #expect(throws: Cart.Business.Model.Failure.self) { try await service.price(of: decomposed) }
    }

    @Test(arguments: ["", String(repeating: "u", count: 121)])
    func `a cart belongs to nobody without an id that serves`(userId: String) async {
        _ = await run(.assign(userId: "u1"))
        _ = await run(.add(sku: "milk", quantity: 1))
        let result = await run(.assign(userId: userId))
        #expect(result.failures.map(\.code) == ["invalidRequest"] && result.failures.first?.message.contains("\(userId.utf8.count) bytes") == true)
        #expect(node.store.getState(Cart.Business.State.self)?.userId == "u1" && lines.count == 1)
    }

    @Test(arguments: ["nosuch", ""])
    func `names that match nothing are said`(name: String) async {
        _ = await run(.assign(userId: "u1"))
        _ = await run(.add(sku: "milk", quantity: 1))
        let removal = await run(.remove(sku: name))
        #expect(removal.failures.map(\.code) == ["unknownArticle"])
        #expect(removal.failures.first?.message.contains("'\(name)'") == true && removal.failures.first?.message.contains("milk") == true)
        for effect in [Effect.bought(id: name, userId: "u1"), .notBought(id: name, userId: "u1", reason: "r")] {
            let word = await run(effect)
            #expect(word.isSuccess && word.value(String.self, from: "Cart")?.contains("no request '\(name)'") == true)
        }
        _ = await run(.checkOut(id: "o1"))
        #expect(await run(.bought(id: "o1", userId: "u1")).value(String.self, from: "Cart") == nil)
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
}

/// Stands for all who have a say in what becomes of a request.
private struct Shop: Relux.Module {
    let moduleID: ModuleID = "Shop"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(_ answer: @escaping @Sendable (String) async -> [Cart.Business.Effect]) { sagas = [Saga(answer)] }

    actor Saga: Relux.Saga {
        private let answer: @Sendable (String) async -> [Cart.Business.Effect]
        init(_ answer: @escaping @Sendable (String) async -> [Cart.Business.Effect]) { self.answer = answer }
        func apply(_ effect: any Relux.Effect) async {
            guard case .checkOutRequested(let request)? = effect as? Cart.Business.Effect else { return }
            for effect in await answer(request.id) { await actions { effect } }
        }
    }
}

/// Prices that wait until a test lets them out.
private struct SlowPrices: Cart.Business.IService {
    let gate: Gate
    func price(of sku: String) async throws(Cart.Business.Model.Failure) -> Int64 {
        await gate.pass()
        return 129
    }
}
