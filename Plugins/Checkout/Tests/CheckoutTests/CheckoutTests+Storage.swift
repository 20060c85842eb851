import CheckoutModels
import CheckoutReluxInt
import CheckoutServiceImpl
import CheckoutTestSupport
import Foundation
import Glibc
import Relux
import ReluxTestKit
import Testing

/// Orders on the disk are kept to the byte, and a failure of the disk is told in words.
extension CheckoutTests {
    @Test func `purchases survive the service, and a broken file names itself`() async throws {
        let folder = TemporaryDirectory()
        let path = folder.file("orders.json")
        _ = try await Checkout.Business.Service(path: path).begin(order)
        #expect(try await Checkout.Business.Service(path: path).purchase("o1") == Purchase(order: order))
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = await #expect(throws: Checkout.Business.Model.Failure.self) {
            try await Checkout.Business.Service(path: path).purchase("o1")
        }
        #expect(failure?.code == .storage && failure?.message.contains(path) == true)
    }

    @Test(arguments: ["a folder", "a pipe", "a link to nowhere", "below a file"])
    func `orders that cannot be read are not none, in words`(kind: String) async throws {
        let folder = TemporaryDirectory(isMade: true)
        var path = folder.file("orders.json")
        switch kind {
        case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a pipe": #expect(mkfifo(path, 0o600) == 0)
        case "a link to nowhere": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nowhere"))
        default:
            try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
            path += "/orders.json"
        }
        let service = Checkout.Business.Service(path: path)
        let failure = await #expect(throws: Checkout.Business.Model.Failure.self) { try await service.purchase("o1") }
        #expect(failure?.code == .storage && failure?.message.contains(path) == true)
        await #expect(throws: Checkout.Business.Model.Failure.self) { try await service.begin(order) }
        #expect(failure?.message.contains("Error") == false && failure?.message.contains("(null)") == false, "\(failure?.message ?? "")")
    }

    @Test func `a write that fails is told in the system's words`() async throws {
        // The service writes into a folder that is none by now.
        let folder = TemporaryDirectory()
        let service = Checkout.Business.Service(path: folder.file("orders.json"))
        _ = try await service.begin(order)
        try FileManager.default.removeItem(atPath: folder.path)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.path))
        let failure = await #expect(throws: Checkout.Business.Model.Failure.self) { try await service.place("o1", of: "u1", receipt: "r") }
        #expect(failure?.code == .storage && failure?.message.contains("Error") == false && failure?.message.contains("(null)") == false, "\(failure?.message ?? "")")
    }

    @Test func `a storage that takes nothing is an answer, and told`() async throws {
        storage.set(.full)
        #expect(await run(.begin(order: order)).failures.map(\.code) == ["storage"])
        #expect(recorder.told("Checkout.Business.Effect.refused") == 1)
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 4_000)])
    func `a text is kept to the byte for the next process`(text: String) async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.file("orders.json")
        let order = Order(id: text, userId: text, lines: [.init(sku: text, quantity: 1, unitPrice: 1)], total: 1)
        _ = try await Checkout.Business.Service(path: path).begin(order)
        let kept = try await Checkout.Business.Service(path: path).purchase(text)?.order
        #expect(kept.map { Array($0.id.utf8) } == Array(text.utf8))
        #expect(kept.map { Array($0.userId.utf8) } == Array(text.utf8) && kept?.lines.first.map { Array($0.sku.utf8) } == Array(text.utf8))
    }
}
