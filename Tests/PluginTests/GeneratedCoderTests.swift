import AuthReluxInt
import CartReluxInt
import CheckoutReluxInt
import ErrorHandlingReluxInt
import FilesReluxInt
import Foundation
import LibraryReluxInt
import NavigationReluxInt
import NotesReluxInt
import PaymentReluxInt
import ProfileReluxInt
import Relux
import ReluxPlugin
import ReluxTestKit
import SessionOrchestrationImpl
import SettingsReluxInt
import StartupOrchestrationImpl
import SyncReluxInt
import Testing

/// The generated coders of every interface say what `Codable` says, of values that the contracts allow.
@Suite struct GeneratedCoderTests {
    /// An effect or a snapshot type with the shapes that its contract gives it.
    struct Payload: Sendable, CustomTestStringConvertible {
        let topic: Topic
        let type: any (CBORFastCodable & Sendable).Type
        let shapes: [PayloadShape]
        var testDescription: String { topic.rawValue }
    }

    private static let effects: [any (Relux.Effect & CBORFastCodable).Type] = [
        Auth.Business.Effect.self, Cart.Business.Effect.self, Checkout.Business.Effect.self, ErrorHandling.Business.Effect.self,
        Files.Business.Effect.self, Library.Business.Effect.self, Navigation.Business.Effect.self, Notes.Business.Effect.self,
        Payment.Business.Effect.self, Profile.Business.Effect.self, SessionOrchestration.Effect.self, Settings.Business.Effect.self,
        StartupOrchestration.Effect.self, Sync.Business.Effect.self,
    ]

    private static let snapshots: [any (Relux.SharedSnapshot & CBORFastCodable).Type] = [
        Auth.Business.Snapshot.self, Cart.Business.Snapshot.self, Checkout.Business.Snapshot.self, ErrorHandling.Business.Snapshot.self,
        Files.Business.Snapshot.self, Library.Business.Snapshot.self, Navigation.Business.Snapshot.self, Notes.Business.Snapshot.self,
        Payment.Business.Snapshot.self, Profile.Business.Snapshot.self, Settings.Business.Snapshot.self, Sync.Business.Snapshot.self,
    ]

    /// Each case of an effect is a shape of its own.
    static let payloads: [Payload] = effects.compactMap { type in
        contracts.topics.first { $0.topic == type.wireTopic }.map { topic in
            Payload(topic: topic.topic, type: type, shapes: topic.cases.map { PayloadShape(.enumeration, cases: [$0]) })
        }
    } + snapshots.compactMap { type in
        contracts.snapshots.first { $0.topic == type.wireTopic }.map { Payload(topic: $0.topic, type: type, shapes: [$0.shape]) }
    }

    private static let contracts: Contract = {
        let plugins = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Plugins").path
        let files = FileManager.default.enumerator(atPath: plugins)?.compactMap { $0 as? String } ?? []
        let all = files.filter { $0.hasSuffix(".contract.json") }.compactMap { FileManager.default.contents(atPath: "\(plugins)/\($0)") }
            .compactMap { try? JSONDecoder().decode(Contract.self, from: $0) }
        return Contract(topics: all.flatMap(\.topics), snapshots: all.flatMap(\.snapshots))
    }()

    private static let info: [CodingUserInfoKey: any Sendable] = [.reluxSealer: XORSealing()]

    @Test func `no interface is forgotten`() {
        let known = Set(Self.payloads.map(\.topic))
        #expect(Self.contracts.topics.count >= 14 && Self.contracts.snapshots.count >= 12)
        #expect(known == Set(Self.contracts.topics.map(\.topic) + Self.contracts.snapshots.map(\.topic)))
    }

    @Test(arguments: payloads)
    func `generated coders write and read the bytes of Codable`(_ payload: Payload) throws {
        func check<Value: CBORFastCodable>(_ type: Value.Type, _ bytes: [UInt8], _ hint: Comment) throws {
            let expected = try byCodable(type, bytes)
            #expect(try byCodable(expected) == bytes, hint)
            let value = try #require(fast(type, bytes), hint)
            #expect(try byCodable(value) == bytes, hint)
            #expect(try CBOR.encode(value, userInfo: Self.info) == bytes, hint)
            var writer = CBORWriter(userInfo: Self.info)
            try value.encodeCBOR(into: &writer)
            #expect(writer.bytes == bytes, hint)
        }
        for (value, hint) in values(of: payload) { try check(payload.type, value.encoded(), hint) }
    }

    @Test(arguments: payloads)
    func `what a newer interface has added is skipped, without Codable's help`(_ payload: Payload) throws {
        func check<Value: CBORFastCodable>(_ type: Value.Type, _ bytes: [UInt8], _ plain: [UInt8], _ hint: Comment) throws {
            let value = try #require(fast(type, bytes), hint)
            #expect(try CBOR.encode(value, userInfo: Self.info) == plain, hint)
        }
        for (value, hint) in values(of: payload) {
            for key in ["", "n", "new-field", "a-new-field-with-a-long-name"] {
                try check(payload.type, Self.adding(key, to: value, of: payload).encoded(), value.encoded(), hint)
            }
        }
    }

    @Test(arguments: payloads)
    func `of damaged bytes generated coders make what Codable makes of them`(_ payload: Payload) throws {
        var random = SeededRandom(seed: 5)
        func check<Value: CBORFastCodable>(_ type: Value.Type, _ bytes: [UInt8], _ hint: Comment) {
            let expected = try? byCodable(byCodable(type, bytes))
            let actual = try? byCodable(CBOR.decode(type, from: bytes, userInfo: Self.info))
            #expect(actual == expected, hint)
        }
        for (value, hint) in values(of: payload, runs: 2) {
            let bytes = value.encoded()
            // One place in three, another third of them for each value: all of them take long in a debug build.
            for end in Self.places(in: bytes, &random) { check(payload.type, Array(bytes[..<end]), hint) }
            for index in Self.places(in: bytes, &random) {
                var damaged = bytes
                damaged[index] = UInt8.random(in: 0...255, using: &random)
                check(payload.type, damaged, hint)
            }
        }
    }

    private static func places(in bytes: [UInt8], _ random: inout SeededRandom) -> StrideTo<Int> {
        stride(from: Int.random(in: 0..<3, using: &random), to: bytes.count, by: 3)
    }

    // MARK: Coding

    /// The value that the generated code alone reads; nil when it leaves the bytes to `Codable`.
    private func fast<Value: CBORFastCodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes, userInfo: Self.info)
            guard let value = try? Value(cbor: &reader), reader.isAtEnd else { return nil }
            return value
        }
    }

    // The generic coders, since the type is not known to have others.
    private func byCodable<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try CBOR.decode(type, from: bytes, userInfo: Self.info)
    }
    private func byCodable(_ value: some Encodable) throws -> [UInt8] { try CBOR.encode(value, userInfo: Self.info) }

    // MARK: Values

    private func values(of payload: Payload, runs: Int = 20) -> [(CBORValue, Comment)] {
        var random = SeededRandom(seed: 7)
        return (0..<runs).flatMap { run in
            payload.shapes.map { shape in
                let value = ShapedValue.random(shape, using: &random)
                return (value, "run \(run): \(value)")
            }
        }
    }

    /// A field more beside those of the snapshot or of the effect's case.
    private static func adding(_ key: String, to value: CBORValue, of payload: Payload) -> CBORValue {
        guard case .map(var pairs) = value else { return value }
        let added = CBORValue.Pair(.text(key), .array([.null, .map([.init(.text("x"), .double(1))])]))
        guard payload.shapes[0].kind == .enumeration else { return .map(pairs + [added]) }
        guard case .map(let fields) = pairs[0].value else { return value }
        pairs[0].value = .map(fields + [added])
        return .map(pairs)
    }
}

/// Values that a contract allows.
private enum ShapedValue {
    static func random(_ shape: PayloadShape, type: String = "", using random: inout SeededRandom) -> CBORValue {
        switch shape.kind {
        case .text: return .text(shape.values.randomElement(using: &random) ?? text(&random))
        case .int: return .integer(shape.values.randomElement(using: &random).flatMap(Int64.init) ?? number(type, &random))
        case .bool: return .bool(.random(using: &random))
        case .double: return .double(.random(in: -1e9...1e9, using: &random))
        case .bytes: return .bytes(Array(text(&random).utf8))
        case .sealed:
            let plain = shape.of.first.map { Self.random($0, using: &random).encoded() } ?? []
            return .tagged(SealedBytes.tag, .bytes(XORSealing().seal(plain)))
        case .array: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in Self.random(shape.of[0], using: &random) })
        case .map:
            let keys = (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.random(shape.of[0], using: &random) }
            // In the order of their bytes: that of a set is another one in each process, and so would the values be.
            let ordered = Set(keys).sorted { $0.encoded().lexicographicallyPrecedes($1.encoded()) }
            return .map(ordered.map { .init($0, Self.random(shape.of[1], using: &random)) })
        case .structure: return fields(shape.fields, &random)
        case .enumeration:
            guard let one = shape.cases.randomElement(using: &random) else { return .null }
            return .map([.init(.text(one.name), fields(one.fields, &random))])
        case .optional: return Bool.random(using: &random) ? .null : Self.random(shape.of[0], using: &random)
        case .reference: return .null
        }
    }

    private static func fields(_ fields: [FieldContract], _ random: inout SeededRandom) -> CBORValue {
        .map(
            fields.compactMap { field in
                if field.optional, Bool.random(using: &random) { return nil }
                return field.shape.map { .init(.text(field.label), Self.random($0, type: field.type, using: &random)) }
            })
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let letters = ["a", "Z", "9", " ", "é", "漢", "👩‍🚀", "\u{0}", "\""]
        return (0..<Int.random(in: 0...30, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }

    /// Numbers with every length that a head may have, as far as the type goes.
    private static func number(_ type: String, _ random: inout SeededRandom) -> Int64 {
        let wide: [Int64] = [.min, -(1 << 40), -257, 256, 65_535, 65_536, 1 << 32, .max]
        let narrow: [Int64] = [0, 1, 23, 24, 100, 127]
        return (["Int", "Int64"].contains(type) ? wide + narrow + [-1, -25] : narrow).randomElement(using: &random) ?? 0
    }
}
